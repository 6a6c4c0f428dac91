// Outbound: many small frames to one socket, batched or not, over loopback to a thread that reads them away.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { trySend } from '#dist/native/socket.js';
import { Outbound } from '#dist/remoting/outbound.js';
import { trial } from './harness.js';

const FRAME_BYTES = 200;
const TICK_FRAMES = 64;

await trial(`one response frame of ${FRAME_BYTES} bytes, ${TICK_FRAMES} a tick`, async (run) => {
  const sink = new Worker(new URL('./workers/sink.js', import.meta.url));
  const [port] = (await once(sink, 'message')) as [number];
  const frame = run.bytes(FRAME_BYTES);
  const ticks = run.scale(50, 2);
  const ops = ticks * TICK_FRAMES;
  const each = async (send: (frame: Buffer) => void, socket: Socket): Promise<void> => {
    for (let tick = 0; tick < ticks; tick++) {
      for (let i = 0; i < TICK_FRAMES; i++) send(frame);
      await new Promise((resolve) => setImmediate(resolve));
      if (socket.writableLength > 0) await drained(socket);
    }
  };
  const sockets = await Promise.all([1, 2, 3, 4].map(() => connected(port)));
  const [plain, corked, batched, native] = sockets as [Socket, Socket, Socket, Socket];
  const viaSocket = new Outbound(batched, null);
  const viaNative = new Outbound(native, trySend);
  const bytes = FRAME_BYTES;
  await run.group('send', [
    {
      name: 'socket.write for each',
      ops,
      bytes,
      isBaseline: true,
      fn: () => each((it) => plain.write(it), plain),
    },
    {
      name: 'socket.cork, write for each, uncork',
      ops,
      bytes,
      fn: () =>
        each((it) => {
          if (corked.writableCorked === 0) {
            corked.cork();
            process.nextTick(() => corked.uncork());
          }
          corked.write(it);
        }, corked),
    },
    {
      name: 'Outbound, one socket.write a tick',
      ops,
      bytes,
      fn: () => each((it) => viaSocket.send(it), batched),
    },
    {
      name: 'Outbound, one send(2) a tick',
      ops,
      bytes,
      fn: () => each((it) => viaNative.send(it), native),
    },
  ]);
  for (const socket of sockets) socket.destroy();
  await sink.terminate();
});

async function connected(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return socket;
}

async function drained(socket: Socket): Promise<void> {
  while (socket.writableLength > 0) await new Promise((resolve) => setImmediate(resolve));
}
