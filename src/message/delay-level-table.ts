// Room: message. Any thread. The delay levels of a broker, read from messageDelayLevel ("1s 5s 10s …"); level 1 is the first.
// Immutable.

import { cometError } from '../base/errors.js';

export const DEFAULT_DELAY_LEVELS = '1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h';

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
/** What Java adds for a level that the table does not have. */
const UNKNOWN_LEVEL_DELAY_MS = 1_000;

export class DelayLevelTable {
  readonly #delaysMs: readonly number[];

  constructor(delaysMs: readonly number[]) {
    this.#delaysMs = delaysMs;
  }

  get maxLevel(): number {
    return this.#delaysMs.length;
  }

  /** The delay of a level; a second for one that the table does not have. */
  delayMs(level: number): number {
    return this.#delaysMs[level - 1] ?? UNKNOWN_LEVEL_DELAY_MS;
  }

  /** When a record of that store time is due. */
  deliverTimestamp(level: number, storeTimestamp: number): number {
    return storeTimestamp + this.delayMs(level);
  }

  /** The level as the store takes it: what is above the last one counts as the last one. */
  capLevel(level: number): number {
    return Math.min(level, this.maxLevel);
  }
}

/** Throws CONFIG_INVALID, naming the piece that is wrong. */
export function parseDelayLevels(text: string): DelayLevelTable {
  const delaysMs: number[] = [];
  for (const piece of text.trim().split(/ +/)) {
    const unitMs = UNIT_MS[piece.slice(-1)];
    const count = piece.slice(0, -1);
    if (unitMs === undefined || !/^\d{1,9}$/.test(count)) {
      throw cometError(
        'CONFIG_INVALID',
        `messageDelayLevel: "${piece}" is no number with s, m, h or d`,
      );
    }
    delaysMs.push(Number(count) * unitMs);
  }
  return new DelayLevelTable(delaysMs);
}

/** The queue of SCHEDULE_TOPIC_XXXX that keeps a level's messages. */
export function delayLevelToQueueId(level: number): number {
  return level - 1;
}

export function queueIdToDelayLevel(queueId: number): number {
  return queueId + 1;
}
