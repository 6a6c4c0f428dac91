// Some connections, each with a window of slots; a slot has one request under way, and its answer says what it sends next.

import { FrameSocket } from './frame-socket.js';
import type { Target } from './peers.js';
import { makeSendFrames, type SendFrameOptions, slotOf } from './send-frames.js';

const CODE_PATTERN = /"code":(\d+)/;
const REMARK_PATTERN = /"remark":"([^"]*)/;

export interface SlotWork {
  readonly connections: number;
  readonly window: number;
  /** The first request of a slot, from 0 to connections * window - 1. */
  first(slot: number): Buffer | null;
  /** What follows an answer, by its opaque counted from FIRST_OPAQUE; null ends the slot. The frame is valid during the call. */
  next(slot: number, opaque: number, answer: Buffer): Buffer | null;
}

/** Done when every slot has ended. An opaque belongs to slot opaque % (connections * window). */
export async function runSlots({ host, port }: Target, work: SlotWork): Promise<void> {
  const { connections, window } = work;
  const total = connections * window;
  let live = total;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const sockets: FrameSocket[] = [];
  const go = (slot: number, request: Buffer | null): void => {
    if (request !== null) sockets[Math.floor(slot / window)]?.send(request);
    else if (--live === 0) end();
  };
  const onFrame = (frame: Buffer): void => {
    const opaque = slotOf(frame);
    if (opaque < 0) return;
    const slot = opaque % total;
    go(slot, work.next(slot, opaque, frame));
  };
  for (let i = 0; i < connections; i++) {
    sockets.push(await FrameSocket.open(port, onFrame, () => {}, host));
  }
  for (let slot = 0; slot < total; slot++) go(slot, work.first(slot));
  for (const socket of sockets) socket.flush();
  await ended;
  for (const socket of sockets) socket.close();
}

export interface FillOptions extends Omit<SendFrameOptions, 'window' | 'batch' | 'serialize'> {
  readonly connections: number;
  readonly window: number;
  readonly messagesPerSlot: number;
}

/** Stores connections * window * messagesPerSlot messages, the same ones of each slot whatever the broker's order. */
export async function fill(target: Target, options: FillOptions): Promise<void> {
  const { connections, window, messagesPerSlot } = options;
  const total = connections * window;
  const frames = makeSendFrames({ ...options, window: total, batch: 1, serialize: 'json' });
  const left = new Int32Array(total).fill(messagesPerSlot);
  const frameOf = (slot: number): Buffer | null => {
    const rest = left[slot] ?? 0;
    left[slot] = rest - 1;
    return rest > 0 ? (frames[slot] ?? null) : null;
  };
  await runSlots(target, {
    connections,
    window,
    first: frameOf,
    next(slot, _opaque, answer) {
      mustSucceed(answer);
      return frameOf(slot);
    },
  });
}

/** Benches of features measure nothing when requests are refused. */
export function mustSucceed(answer: Buffer): void {
  const header = answer.toString('latin1', 8, 8 + (answer.readInt32BE(4) & 0xffffff));
  const code = CODE_PATTERN.exec(header)?.[1];
  if (code === '0') return;
  throw new Error(`the broker answered ${code}: ${REMARK_PATTERN.exec(header)?.[1]}`);
}
