// Room: store. Dispatch worker. One entry of a ConsumeQueue, as storage.md section 5 draws it. Entry i of a queue is at byte
// 20*i of its stream. Hot: positions in, numbers out; the tags code is two 32-bit halves because ext addresses are not safe
// integers.
//
//   0         8      12          20
//   +---------+------+-----------+
//   | physical| size | tagsCode  |
//   | Offset  |      |           |
//   +---------+------+-----------+

export const CQ_UNIT_BYTES = 20;
const SIZE_AT = 8;
const TAGS_HIGH_AT = 12;
const TAGS_LOW_AT = 16;

/** The size of a filler entry: (0, 2147483647, 0) stands where a queue's history is not there. */
export const FILLER_SIZE_BYTES = 0x7fff_ffff;

const TWO_32 = 0x1_0000_0000;

export function readCqPhysicalOffset(buffer: Buffer, position: number): number {
  return buffer.readInt32BE(position) * TWO_32 + buffer.readUInt32BE(position + 4);
}

export function readCqSizeBytes(buffer: Buffer, position: number): number {
  return buffer.readInt32BE(position + SIZE_AT);
}

export function readCqTagsHigh(buffer: Buffer, position: number): number {
  return buffer.readInt32BE(position + TAGS_HIGH_AT);
}

export function readCqTagsLow(buffer: Buffer, position: number): number {
  return buffer.readInt32BE(position + TAGS_LOW_AT);
}

/** Java's test of an entry that has been written: offset >= 0 and size > 0. */
export function isCqUnitValid(buffer: Buffer, position: number): boolean {
  return buffer.readInt32BE(position) >= 0 && buffer.readInt32BE(position + SIZE_AT) > 0;
}

export function isCqFiller(buffer: Buffer, position: number): boolean {
  return (
    buffer.readInt32BE(position + SIZE_AT) === FILLER_SIZE_BYTES &&
    readCqPhysicalOffset(buffer, position) === 0
  );
}

export function writeCqUnit(
  buffer: Buffer,
  position: number,
  physicalOffset: number,
  sizeBytes: number,
  tagsHigh: number,
  tagsLow: number,
): void {
  buffer.writeInt32BE(Math.floor(physicalOffset / TWO_32), position);
  buffer.writeUInt32BE(physicalOffset % TWO_32, position + 4);
  buffer.writeInt32BE(sizeBytes, position + SIZE_AT);
  buffer.writeInt32BE(tagsHigh, position + TAGS_HIGH_AT);
  buffer.writeInt32BE(tagsLow, position + TAGS_LOW_AT);
}

export function writeCqFiller(buffer: Buffer, position: number): void {
  writeCqUnit(buffer, position, 0, FILLER_SIZE_BYTES, 0, 0);
}

/** A tags code that is a number: a string hash, a time in ms, or 0. */
export function tagsHighOf(tagsCode: number): number {
  return Math.floor(tagsCode / TWO_32) | 0;
}

export function tagsLowOf(tagsCode: number): number {
  return tagsCode | 0;
}

/** The number of a tags code that is no ext address. */
export function tagsCodeOf(high: number, low: number): number {
  return high * TWO_32 + (low >>> 0);
}

/** True for an address in ConsumeQueueExt: every value up to -2147483649. */
export function isExtAddress(high: number, low: number): boolean {
  return high < -1 || (high === -1 && low >= 0);
}
