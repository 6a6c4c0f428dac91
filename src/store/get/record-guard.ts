// Room: store. Dispatch worker. Keeps damaged records from being served. What recovery walked through is known to be good but
// for the holes that it lists; what this process appended was checked when it came in. Only older records are looked at again.
// Always holds: a record that isn't served still has its place in the queue.

import {
  BODY_CRC_POSITION,
  bodyLengthPosition,
  MAGIC_POSITION,
  MESSAGE_MAGIC,
  PHYSICAL_OFFSET_POSITION,
  readInt32,
  readInt64,
  SYS_FLAG_POSITION,
} from '../../message/message-layout.js';
import { crc32 } from '../../native/crc32.js';

/** A range of the log that holds no readable record: [from, to). */
export interface LogHole {
  readonly from: number;
  readonly to: number;
}

const CRC_MASK = 0x7fff_ffff;

export class RecordGuard {
  /** Records from here on are known to be good, but for the holes. */
  readonly verifiedFrom: number;
  readonly #holes: readonly LogHole[];
  /** Records that were found damaged when somebody asked for them. */
  damagedReads = 0;

  constructor(verifiedFrom = 0, holes: readonly LogHole[] = []) {
    this.verifiedFrom = verifiedFrom;
    this.#holes = holes;
  }

  /** May the record be served? Hot for new records, careful for old ones. */
  isSound(buffer: Buffer, position: number, sizeBytes: number, physicalOffset: number): boolean {
    if (this.#holes.length > 0 && this.#isInHole(physicalOffset)) return this.#damaged();
    if (physicalOffset >= this.verifiedFrom) return true;
    return isSoundRecord(buffer, position, sizeBytes, physicalOffset) || this.#damaged();
  }

  #isInHole(physicalOffset: number): boolean {
    for (const hole of this.#holes) {
      if (physicalOffset >= hole.from && physicalOffset < hole.to) return true;
    }
    return false;
  }

  #damaged(): false {
    this.damagedReads++;
    return false;
  }
}

/** The entry and the record must agree, and the body must have the sum that was stored with it. */
export function isSoundRecord(
  buffer: Buffer,
  position: number,
  sizeBytes: number,
  physicalOffset: number,
): boolean {
  if (readInt32(buffer, position) !== sizeBytes) return false;
  if (readInt32(buffer, position + MAGIC_POSITION) !== MESSAGE_MAGIC) return false;
  if (readInt64(buffer, position + PHYSICAL_OFFSET_POSITION) !== physicalOffset) return false;
  const sysFlag = readInt32(buffer, position + SYS_FLAG_POSITION);
  const bodyAt = position + bodyLengthPosition(sysFlag);
  if (bodyAt + 4 > position + sizeBytes) return false;
  const bodyLength = readInt32(buffer, bodyAt);
  if (bodyLength < 0 || bodyAt + 4 + bodyLength > position + sizeBytes) return false;
  if (bodyLength === 0) return true;
  return (
    (crc32(buffer, bodyAt + 4, bodyLength) & CRC_MASK) ===
    readInt32(buffer, position + BODY_CRC_POSITION)
  );
}
