// Room: store. Any thread; each has its own view. What readers of the log need: the bytes at a physical offset, without a copy
// and without an allocation. LogReader (mapped/) is one for running agents; RecoveryLog (recovery/) is another.

export interface LogView {
  /**
   * Points buffer, position and limit at the bytes from a physical offset to the end of what is readable in its file. False
   * when the log does not have that offset. Valid until the next call.
   */
  locate(physicalOffset: number): boolean;
  /** Once a turn: sees how far the log has come. */
  refresh(): void;
  readonly buffer: Buffer;
  readonly position: number;
  readonly limit: number;
  /** Start of the first file. */
  readonly minOffset: number;
  /** End of what may be read. */
  readonly maxOffset: number;
  readonly fileSizeBytes: number;
}
