import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { trySend } from '../../src/native/socket.js';

const EAGAIN = -11;
const EBADF = -9;
const EINVAL = -22;
const EPIPE = -32;

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  /** Descriptor of the near end. */
  readonly fd: number;
  close(): void;
}

async function socketPair(): Promise<Pair> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const near = connect(address.port, '127.0.0.1');
  const [far] = (await once(server, 'connection')) as [Socket];
  if (near.connecting) await once(near, 'connect');
  const { fd } = (near as unknown as { _handle: { fd: number } })._handle;
  return {
    near,
    far,
    fd,
    close: () => {
      near.destroy();
      far.destroy();
      server.close();
    },
  };
}

describe('trySend', () => {
  it('sends bytes out of shared memory', async () => {
    const pair = await socketPair();
    const ring = Buffer.from(new SharedArrayBuffer(64));
    ring.write('..hello..');
    expect(trySend(pair.fd, ring, 2, 5)).toBe(5);
    const [chunk] = (await once(pair.far, 'data')) as [Buffer];
    expect(chunk.toString()).toBe('hello');
    pair.close();
  });

  it('never waits for a peer that does not read: it says how much went, then EAGAIN', async () => {
    const pair = await socketPair();
    pair.far.pause();
    const bytes = Buffer.alloc(1024 * 1024, 1);
    let sent = 0;
    let answer = 0;
    do {
      answer = trySend(pair.fd, bytes, 0, bytes.length);
      if (answer > 0) sent += answer;
    } while (answer > 0);
    expect(answer).toBe(EAGAIN);
    expect(sent).toBeGreaterThan(0);
    pair.close();
  });

  it('answers an errno when nothing can be sent any more', async () => {
    const pair = await socketPair();
    pair.near.end();
    await once(pair.near, 'finish');
    expect(trySend(pair.fd, Buffer.alloc(1), 0, 1)).toBe(EPIPE);
    pair.close();
    expect(trySend(-1, Buffer.alloc(1), 0, 1)).toBe(EBADF);
  });

  it('refuses a range outside the array', () => {
    expect(trySend(1, Buffer.alloc(4), 2, 3)).toBe(EINVAL);
  });
});
