// Room: message. The thread that sends; one maker a process. UNIQ_KEY, the id that a producer gives each message (protocol.md 5.4):
//
//   address 4|16 │ pid 2 │ number of the process 4 │ ms since the month began (local time) 4 │ counter 2     in upper-case hex
//
// Always holds: two keys of one maker differ within 65,536 keys a millisecond; makers in containers with equal address and pid
// differ by their random number (bugreports.md #30).

import type { Clock } from '../base/clock.js';
import { cometError } from '../base/errors.js';
import type { Prng } from '../base/prng.js';

/** A clock that went back by less than this is taken for standing still. */
const TOLERATED_STEP_BACK_MS = 1_000_000;

export interface UniqueKeyOptions {
  /** 4 or 16 bytes; without a usable one the low bytes of the time stand in. */
  readonly address: Uint8Array | null;
  readonly processId: number;
  readonly clock: Clock;
  readonly prng: Prng;
}

export class UniqueKeyMaker {
  readonly #clock: Clock;
  readonly #prefix: string;
  #monthStartMs = 0;
  #nextMonthMs = 0;
  #counter = 0;

  constructor(options: UniqueKeyOptions) {
    this.#clock = options.clock;
    const address = options.address ?? lowTimeBytes(options.clock.nowMs());
    const prefix = Buffer.alloc(address.length + 6);
    prefix.set(address, 0);
    prefix.writeUInt16BE(options.processId & 0xffff, address.length);
    prefix.writeUInt32BE(options.prng.nextInt(0x1_0000_0000), address.length + 2);
    this.#prefix = prefix.toString('hex').toUpperCase();
    this.#enterMonth(options.clock.nowMs());
  }

  next(): string {
    const nowMs = this.#clock.nowMs();
    if (nowMs >= this.#nextMonthMs) this.#enterMonth(nowMs);
    let elapsedMs = nowMs - this.#monthStartMs;
    if (elapsedMs < 0) {
      if (elapsedMs > -TOLERATED_STEP_BACK_MS) elapsedMs = 0;
      else {
        this.#enterMonth(nowMs);
        elapsedMs = nowMs - this.#monthStartMs;
      }
    }
    const counter = this.#counter;
    this.#counter = (counter + 1) & 0xffff;
    return this.#prefix + hex(elapsedMs >>> 0, 8) + hex(counter, 4);
  }

  #enterMonth(nowMs: number): void {
    const now = new Date(nowMs);
    this.#monthStartMs = new Date(now.getFullYear(), now.getMonth(), 1).getTime();
    this.#nextMonthMs = new Date(now.getFullYear(), now.getMonth() + 1, 1).getTime();
  }
}

/** When the key was made, guessed as Java does: in the month of now, or the one before it if that were in the future. */
export function uniqueKeyTimeMs(key: string, nowMs: number): number {
  if ((key.length !== 32 && key.length !== 56) || !/^[0-9a-fA-F]+$/.test(key)) {
    throw cometError('MESSAGE_ID_INVALID', `"${key.slice(0, 80)}" is no UNIQ_KEY`);
  }
  const elapsedMs = Number.parseInt(key.slice(-12, -4), 16);
  const now = new Date(nowMs);
  const timeMs = new Date(now.getFullYear(), now.getMonth(), 1).getTime() + elapsedMs;
  if (timeMs <= nowMs) return timeMs;
  return new Date(now.getFullYear(), now.getMonth() - 1, 1).getTime() + elapsedMs;
}

function lowTimeBytes(nowMs: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(nowMs % 0x1_0000_0000, 0);
  return bytes;
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}
