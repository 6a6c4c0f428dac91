import { connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { readIntoSharedBuffer } from '../../src/remoting/user-buffer.js';

const open: { destroy?: () => void; close?: () => void }[] = [];
afterEach(() => {
  for (const thing of open.splice(0)) {
    thing.destroy?.();
    thing.close?.();
  }
});

async function pair(onAccept: (socket: Socket) => void): Promise<Socket> {
  const server = createServer(onAccept);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as { port: number }).port, '127.0.0.1');
  await new Promise<void>((resolve) => client.once('connect', () => resolve()));
  open.push(client, server);
  return client;
}

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !condition(); i++) await new Promise((r) => setTimeout(r, 5));
}

describe('readIntoSharedBuffer', () => {
  it('takes every byte of an accepted socket, in order, from one memory', async () => {
    const memories = new Set<ArrayBufferLike>();
    let received = '';
    const client = await pair((socket) => {
      socket.on('data', () => expect.unreachable('a read went the old way'));
      const shares = readIntoSharedBuffer(socket, (chunk) => {
        memories.add(chunk.buffer);
        received += chunk.toString('latin1');
      });
      expect(shares).toBe(true);
    });
    let sent = '';
    for (let i = 0; i < 50; i++) {
      const text = `<${i}>`.repeat(1 + (i % 7) * 1000);
      sent += text;
      client.write(text);
    }
    await until(() => received.length === sent.length);
    expect(received === sent).toBe(true);
    expect(memories.size).toBe(1);
  });

  it('stops reading while paused, goes on when resumed, and tells the end', async () => {
    let received = 0;
    let ended = false;
    let accepted: Socket | null = null;
    const client = await pair((socket) => {
      accepted = socket;
      socket.on('data', () => {});
      socket.on('end', () => {
        ended = true;
      });
      readIntoSharedBuffer(socket, (chunk) => {
        received += chunk.length;
        socket.pause();
      });
    });
    client.write('a');
    await until(() => received === 1);
    client.write('bc');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(received).toBe(1);
    accepted!.resume();
    await until(() => received === 3);
    accepted!.resume();
    client.end();
    await until(() => ended);
    expect([received, ended]).toEqual([3, true]);
  });
});
