import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/base/clock.js';
import { setLogLevel } from '../../src/base/logger.js';
import { encodeFrame } from '../../src/protocol/frame-codec.js';
import { FrameCutter } from '../../src/protocol/frame-cutter.js';
import { createRequest } from '../../src/protocol/remoting-command.js';
import type { Connection } from '../../src/remoting/connection.js';
import { RemotingClient } from '../../src/remoting/remoting-client.js';
import { RemotingServer } from '../../src/remoting/remoting-server.js';
import { ECHO, type EchoServer, rawSocket, startEcho, tlsDefaults, until } from './support.js';

setLogLevel('silent');

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function echo(options = {}): Promise<EchoServer> {
  const started = await startEcho(options);
  closers.push(() => started.server.shutdown());
  return started;
}

async function raw(port: number): Promise<Socket> {
  const socket = await rawSocket(port);
  closers.push(() => socket.destroy());
  return socket;
}

function closed(socket: Socket): Promise<void> {
  socket.resume();
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

function frameOf(body: string): Buffer {
  return encodeFrame(createRequest(ECHO, null, Buffer.from(body)));
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

describe('what is malformed closes its own connection only', () => {
  const good = frameOf('x');
  test.each([
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['HTTP/2', Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
    ['random bytes', Buffer.from('d5a2c7e811f09b3c4a', 'hex')],
    ['length 0', word(0)],
    ['length 3', Buffer.concat([word(3), Buffer.alloc(3)])],
    ['length -1', word(-1)],
    ['16 MiB and 1', word(16 * 1024 * 1024 - 3)],
    ['2^31 - 1', word(0x7fff_ffff)],
    ['a header longer than its frame', Buffer.concat([word(16), word(0xffffff), Buffer.alloc(12)])],
    ['serialize type 7', Buffer.concat([word(6), word(0x0700_0002), Buffer.from('{}')])],
    ['header null', Buffer.concat([word(8), word(4), Buffer.from('null')])],
    ['header []', Buffer.concat([word(6), word(2), Buffer.from('[]')])],
    ['header "x"', Buffer.concat([word(7), word(3), Buffer.from('"x"')])],
    ['garbage behind a good frame', Buffer.concat([good, Buffer.from('GET / HTTP/1.1')])],
  ])('%s', async (_name, bytes) => {
    const { server, addr } = await echo();
    const honest = new RemotingClient();
    closers.push(() => honest.close());
    await honest.invoke(addr, createRequest(ECHO), 3000);
    const socket = await raw(server.port);
    socket.write(bytes);
    await closed(socket);
    const answer = await honest.invoke(addr, createRequest(ECHO, null, Buffer.from('ok')), 3000);
    expect(answer.body?.toString()).toBe('ok');
    expect(server.connectionCount).toBe(1);
  });
});

test('frames that arrive byte by byte and many at once are cut the same', async () => {
  const { server, requests } = await echo();
  const socket = await raw(server.port);
  const bytes = Buffer.concat([frameOf('one'), frameOf('two'), frameOf('three')]);
  for (let i = 0; i < bytes.length; i += 7) {
    socket.write(bytes.subarray(i, i + 7));
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.write(bytes);
  await until('six requests', () => requests.length === 6);
  expect(requests.map(({ body }) => body?.toString())).toEqual([
    ...['one', 'two', 'three'],
    ...['one', 'two', 'three'],
  ]);
});

test('all answers of one tick leave in one write', async () => {
  const writes: number[] = [];
  const nativeSend = (_fd: number, _memory: Uint8Array, _start: number, length: number) => {
    writes.push(length);
    return -11;
  };
  const { server, requests } = await echo({ nativeSend });
  const socket = await raw(server.port);
  let received = 0;
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  socket.write(Buffer.concat(Array.from({ length: 50 }, () => frameOf('abc'))));
  await until('the answers', () => requests.length === 50 && received === writes[0]);
  expect(writes).toHaveLength(1);
});

test('bytes keep their order when send(2) takes only a part', async () => {
  const taken = [5, 0, -11, 3, 100_000, 1];
  let call = 0;
  const { server, opened } = await echo({
    // Writes nothing itself: what it claims to have taken must then be missing at the other end.
    nativeSend: (_fd: number, _memory: Uint8Array, _start: number, length: number) =>
      Math.min(length, taken[call++ % taken.length] ?? 0),
  });
  const socket = await raw(server.port);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await until('the connection', () => opened.length === 1);
  const memory = Buffer.from('0123456789');
  opened[0]?.sendFrom(memory, 2, 8);
  memory.fill('x');
  await until('the rest', () => Buffer.concat(chunks).length === 3);
  expect(Buffer.concat(chunks).toString()).toBe('789');
});

test('large memory may be changed as soon as sendFrom returns', async () => {
  const { server, opened } = await echo();
  const socket = await raw(server.port);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await until('the connection', () => opened.length === 1);
  const memory = Buffer.alloc(3_000_000, 'a');
  for (const letter of ['a', 'b', 'c']) {
    memory.fill(letter);
    opened[0]?.sendFrom(memory, 0, memory.length);
    opened[0]?.send(Buffer.from('|'));
  }
  memory.fill('x');
  const expected = 'abc'.split('').map((letter) => `${letter.repeat(3_000_000)}|`);
  await until('all bytes', () => chunks.reduce((sum, { length }) => sum + length, 0) === 9_000_003);
  expect(Buffer.concat(chunks).toString() === expected.join('')).toBe(true);
});

test('a peer that is silent is closed after the idle time, one that talks is not', async () => {
  const clock = new ManualClock();
  const { server, addr, closed: reasons } = await echo({ clock });
  await raw(server.port);
  const talker = new RemotingClient();
  closers.push(() => talker.close());
  await talker.invoke(addr, createRequest(ECHO), 3000);
  await until('both', () => server.connectionCount === 2);
  for (let second = 0; second < 125; second += 5) {
    clock.advance(5000);
    if (second === 60) await talker.invoke(addr, createRequest(ECHO), 3000);
    server.check();
  }
  await until('the close', () => server.connectionCount === 1);
  expect(reasons).toEqual([expect.stringMatching(/^idle for 12/)]);
});

test('after a standstill of the process nobody is closed for its silence', async () => {
  const clock = new ManualClock();
  const { server } = await echo({ clock });
  await raw(server.port);
  await until('the connection', () => server.connectionCount === 1);
  clock.advance(200_000);
  server.check();
  clock.advance(1_000);
  server.check();
  expect(server.connectionCount).toBe(1);
});

test('a frame that drips is given up after a minute', async () => {
  const clock = new ManualClock();
  const { server, closed: reasons } = await echo({ clock });
  const socket = await raw(server.port);
  socket.write(word(16_000_000));
  await until('the connection', () => server.connectionCount === 1);
  for (let second = 0; second <= 70; second += 5) {
    socket.write('x');
    await new Promise((resolve) => setTimeout(resolve, 2));
    clock.advance(5_000);
    server.check();
  }
  expect(reasons).toEqual(['a frame is not whole after 60000 ms']);
});

test('a peer that reads nothing is not read from, then closed; others do not notice', async () => {
  const clock = new ManualClock();
  const { server, addr, requests, closed: reasons } = await echo({ clock });
  const socket = await raw(server.port);
  socket.pause();
  const request = encodeFrame(createRequest(ECHO, null, Buffer.alloc(4_000_000)));
  let isWriting = true;
  const write = () => {
    while (isWriting && socket.write(request));
  };
  socket.on('drain', write);
  write();
  const [connection] = server.connections();
  await until('back-pressure', () => (connection?.outboundBytes ?? 0) > 32 * 1024 * 1024, 20_000);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const answered = requests.length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(requests.length).toBe(answered);
  isWriting = false;
  const honest = new RemotingClient();
  closers.push(() => honest.close());
  for (let second = 0; second <= 20; second += 5) {
    await honest.invoke(addr, createRequest(ECHO), 3000);
    server.check();
    clock.advance(5_000);
  }
  expect(reasons).toEqual([expect.stringMatching(/reads nothing/)]);
  await honest.invoke(addr, createRequest(ECHO), 3000);
});

test('frames that the handler refuses come again, in order, and nothing is read meanwhile', async () => {
  const taken: string[] = [];
  let room = 2;
  let refused: Connection | null = null;
  const server = new RemotingServer({
    host: '127.0.0.1',
    port: 0,
    handler: {
      onFrame: (connection, frame) => {
        if (room === 0) {
          refused = connection;
          connection.refuseFrame();
          return;
        }
        room--;
        taken.push(frame.subarray(-1).toString());
      },
    },
  });
  await server.start();
  closers.push(() => server.shutdown());
  const socket = await raw(server.port);
  socket.write(Buffer.concat('abcdefg'.split('').map(frameOf)));
  await until('a refusal', () => refused !== null);
  expect(taken.join('')).toBe('ab');
  socket.write(frameOf('h'));
  for (const [more, expected] of [
    [3, 'abcde'],
    [1, 'abcdef'],
    [9, 'abcdefg'],
  ] as const) {
    room = more;
    (refused as Connection | null)?.resumeReading();
    expect(taken.join('')).toBe(expected);
  }
  await until('the rest', () => taken.join('') === 'abcdefgh');
});

test('too many connections: the newest is dropped, the others work', async () => {
  const { server, addr } = await echo({ maxConnections: 1 });
  const first = new RemotingClient();
  closers.push(() => first.close());
  await first.invoke(addr, createRequest(ECHO), 3000);
  await closed(await raw(server.port));
  await first.invoke(addr, createRequest(ECHO), 3000);
});

test('a clean stop sends what is queued first', async () => {
  const { server, opened } = await startEcho();
  const socket = await rawSocket(server.port);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await until('the connection', () => opened.length === 1);
  opened[0]?.send(frameOf('last words'));
  await server.shutdown();
  await until('the end', () => socket.destroyed);
  let body = '';
  new FrameCutter().push(Buffer.concat(chunks), (frame) => {
    body = frame.subarray(-10).toString();
  });
  expect(body).toBe('last words');
});

describe('TLS by the first byte', () => {
  function hello(port: number): Promise<string> {
    return new Promise((resolve) => {
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
      closers.push(() => socket.destroy());
      socket.on('secureConnect', () => resolve(socket.getProtocol() ?? ''));
      socket.on('error', () => resolve('refused'));
      socket.on('close', () => resolve('refused'));
    });
  }

  async function plain(port: number): Promise<string> {
    const socket = await raw(port);
    socket.write(frameOf('x'));
    return new Promise((resolve) => {
      socket.once('data', () => resolve('answered'));
      socket.once('close', () => resolve('refused'));
    });
  }

  test.each([
    ['disabled', 'refused', 'answered'],
    ['permissive', 'TLSv1.3', 'answered'],
    ['enforcing', 'TLSv1.3', 'refused'],
  ] as const)('%s: TLS is %s, plain is %s', async (mode, tlsOutcome, plainOutcome) => {
    const { server } = await echo({ tls: { ...tlsDefaults, 'tls.server.mode': mode } });
    expect(await hello(server.port)).toBe(tlsOutcome);
    expect(await plain(server.port)).toBe(plainOutcome);
  });

  test('a client without certificate is refused where one is required', async () => {
    const tls = { ...tlsDefaults, 'tls.server.need.client.auth': 'require' as const };
    const { addr } = await echo({ tls });
    const client = new RemotingClient({ tls: { testMode: true } });
    closers.push(() => client.close());
    await expect(client.invoke(addr, createRequest(ECHO), 3000)).rejects.toThrow();
  });

  test('enforcing without any certificate is an error, not plain text', async () => {
    const tls = {
      ...tlsDefaults,
      'tls.server.mode': 'enforcing' as const,
      'tls.test.mode.enable': false,
    };
    await expect(startEcho({ tls })).rejects.toThrow(/tls.server.keyPath/);
  });
});

test('running out of descriptors costs the newest connections only, and accepting goes on', async () => {
  const { server, addr } = await echo();
  const honest = new RemotingClient();
  closers.push(() => honest.close());
  await honest.invoke(addr, createRequest(ECHO), 3000);
  const limit = readdirSync('/proc/self/fd').length + 20;
  const before = prlimit('--nofile', '--raw', '--noheadings', '--output', 'SOFT').trim();
  prlimit(`--nofile=${limit}:`);
  closers.push(() => prlimit(`--nofile=${before}:`));
  const crowd = spawnCrowd(server.port, 60);
  await until('the limit', () => server.connectionCount > 10);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await honest.invoke(addr, createRequest(ECHO), 3000);
  crowd.kill('SIGKILL');
  await until('the crowd to leave', () => server.connectionCount === 1);
  const newcomer = new RemotingClient();
  closers.push(() => newcomer.close());
  await newcomer.invoke(addr, createRequest(ECHO), 1000);
});

/** Of this process; what is open stays open. */
function prlimit(...args: readonly string[]): string {
  const result = spawnSync('prlimit', ['--pid', String(process.pid), ...args]);
  if (result.status !== 0) throw new Error(`prlimit: ${result.error ?? result.stderr}`);
  return result.stdout.toString();
}

/** Another process, so that its sockets do not count here. */
function spawnCrowd(port: number, count: number): ChildProcess {
  const code = `for (let i = 0; i < ${count}; i++)
    require('node:net').connect(${port}, '127.0.0.1').on('error', () => {});
    setInterval(() => {}, 1000);`;
  return spawn(process.execPath, ['-e', code], { stdio: 'ignore' });
}
