// A reader thread for test/native/mapped-region.test.ts: maps the newest file, reads all of it again and again, and lets go of it only
// at the end of a round, as every thread of the store does. The file may be gone from the folder by then, never from under the view.
import { workerData } from 'node:worker_threads';
import { MappedRegion } from '../../dist/native/mapped-region.js';

const { directory, sizeBytes, index } = workerData;
const control = new Int32Array(workerData.control);
let region = null;
let current = 0;
while (Atomics.load(control, 1) === 0) {
  const newest = Atomics.load(control, 0);
  if (newest !== current) {
    region?.release();
    region = null;
    current = newest;
    try {
      region = MappedRegion.open(`${directory}/${newest}`, sizeBytes);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
  if (region === null) continue;
  for (let at = 0; at < sizeBytes; at += 4093) {
    if (region.buffer[at] !== current)
      throw new Error(`file ${current} reads ${region.buffer[at]} at ${at}`);
  }
  Atomics.add(control, 2 + index, 1);
}
region?.release();
