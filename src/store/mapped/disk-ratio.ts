// Room: store. Any thread. How full a partition is, as Java's store reckons it: root's reserve counts as neither used nor free.

import { statfsSync } from 'node:fs';
import { isMissing } from '../consumequeue/queue-files.js';

/** 0 to 1; 0 for a folder that is not there yet. */
export function usedRatio(path: string): number {
  try {
    const { blocks, bfree, bavail } = statfsSync(path);
    const used = blocks - bfree;
    return used + bavail === 0 ? 0 : used / (used + bavail);
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}

/** In whole percent, rounded up, as the thresholds are compared. */
export function usedPercent(path: string): number {
  return Math.ceil(usedRatio(path) * 100);
}
