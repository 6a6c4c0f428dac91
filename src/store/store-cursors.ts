// Room: store. The positions by which threads follow each other; src/README.md has the same table with its reasons.
// All are bytes of the commit log, monotonic unless said otherwise, each with one writer.
//
//   cursor               owner (only writer)   readers                     meaning
//   wroteOffset          commitlog worker      flush, dispatch, ha, main   end of the last whole record
//   flushedWhere         flush worker          main, dispatch              end of what is on disk
//   logMinOffset         commitlog worker      all                         start of the first file that is kept
//   reputFromOffset      dispatch worker       main                        end of what has queue and index entries
//   push2SlaveMaxOffset  ha worker             main                        highest position a slave has acknowledged
//   slaveCount           ha worker             main                        connected slaves (a count, not a position)
//   flushWanted          commitlog worker      flush                       highest position that somebody waits for
//   storeFailed          whoever sees it       all                         1 once a flush or write failed: nothing more is acknowledged
//   storeTimestamp       commitlog worker      flush                       store time of the last record before wroteOffset (ms)

import { CursorPage } from '../ring/cursor.js';

export const StoreCursor = {
  wroteOffset: 0,
  flushedWhere: 1,
  logMinOffset: 2,
  reputFromOffset: 3,
  push2SlaveMaxOffset: 4,
  flushWanted: 5,
  storeFailed: 6,
  slaveCount: 7,
  storeTimestamp: 8,
} as const;

export const STORE_CURSOR_COUNT = 9;

export function createStoreCursors(): CursorPage {
  return CursorPage.create(STORE_CURSOR_COUNT);
}
