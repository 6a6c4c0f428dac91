// Room: processor. Hot (bench/30-header-scan). What the broker makes of the properties text of a send: pairs that Java's parser would
// drop are left out, WAIT is taken out, CLUSTER is put at the end, and the few names that decide the message's road are
// noticed, all in one pass over the bytes. Follows SendMessageProcessor and MessageDecoder of Java.
//
//   name 0x01 value 0x02 name 0x01 value        (no separator at the end)

import { assert } from '../base/assert.js';

const NAME_END = 1;
const PAIR_END = 2;

export class SendProperties {
  /** The text as it is stored: bytes[0..length). Valid until the next read(). */
  bytes: Buffer = Buffer.allocUnsafe(64 * 1024);
  length = 0;
  /** False when the message says WAIT=false: nobody waits for flush or replication. */
  waitStoreMsgOk = true;
  delayLevel = 0;
  transactional = false;
  readonly #cluster: Buffer;

  constructor(clusterName: string) {
    this.#cluster = Buffer.from(`CLUSTER\u0001${clusterName}`, 'utf8');
  }

  /**
   * @param keepWait true on the batch path, whose stored text keeps WAIT.
   */
  read(source: Uint8Array, start: number, end: number, keepWait: boolean): void {
    this.waitStoreMsgOk = true;
    this.delayLevel = 0;
    this.transactional = false;
    this.length = 0;
    this.#reserve(end - start + this.#cluster.length + 1);
    let pairStart = start;
    while (pairStart < end) {
      let nameEnd = -1;
      let at = pairStart;
      for (; at < end; at++) {
        const byte = source[at]!;
        if (byte === PAIR_END) break;
        if (byte === NAME_END && nameEnd < 0) nameEnd = at;
      }
      if (nameEnd > pairStart && nameEnd < at - 1) {
        const isWait = this.#notice(source, pairStart, nameEnd, at);
        if (!isWait || keepWait) this.#copy(source, pairStart, at);
      }
      pairStart = at + 1;
    }
    this.#copy(this.#cluster, 0, this.#cluster.length);
  }

  /** Looks at one pair; true when it is WAIT. */
  #notice(source: Uint8Array, start: number, nameEnd: number, end: number): boolean {
    const size = nameEnd - start;
    const first = source[start];
    if (first === 0x57 && size === 4 && equalsAscii(source, start, 'WAIT')) {
      this.waitStoreMsgOk = equalsTrue(source, nameEnd + 1, end);
      return true;
    }
    if (first === 0x44 && size === 5 && equalsAscii(source, start, 'DELAY')) {
      this.delayLevel = decimal(source, nameEnd + 1, end);
    } else if (first === 0x54 && size === 8 && equalsAscii(source, start, 'TRAN_MSG')) {
      this.transactional = equalsTrue(source, nameEnd + 1, end);
    }
    return false;
  }

  #copy(source: Uint8Array, start: number, end: number): void {
    const to = this.bytes;
    let length = this.length;
    if (length > 0) to[length++] = PAIR_END;
    for (let i = start; i < end; i++) to[length++] = source[i]!;
    this.length = length;
  }

  #reserve(sizeBytes: number): void {
    if (sizeBytes <= this.bytes.length) return;
    assert(sizeBytes < 64 * 1024 * 1024, 'properties outgrew every frame');
    this.bytes = Buffer.allocUnsafe(sizeBytes * 2);
  }
}

function equalsAscii(source: Uint8Array, start: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (source[start + i] !== text.charCodeAt(i)) return false;
  return true;
}

function equalsTrue(source: Uint8Array, start: number, end: number): boolean {
  if (end - start !== 4) return false;
  for (let i = 0; i < 4; i++)
    if ((source[start + i]! | 0x20) !== 'true'.charCodeAt(i)) return false;
  return true;
}

/** A decimal int32, 0 for anything else (Java throws there, and answers with an error; 0 stores the message undelayed). */
function decimal(source: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = source[i]! - 0x30;
    if (digit < 0 || digit > 9 || i - start > 9) return 0;
    value = value * 10 + digit;
  }
  return value;
}
