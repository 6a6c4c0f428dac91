// What Linux and the sync probe say about a running broker. Null where nothing can be read.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const TICKS_PER_SECOND = 100;

export interface ProcessFacts {
  readonly cpuSeconds: number;
  readonly anonMb: number;
  readonly diskBytes: number;
  readonly syncs: number;
  readonly syncMs: number;
}

export function processFacts(pid: number, syncFolder: string): ProcessFacts | null {
  if (pid === 0) return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name, which is in parentheses: state is field 3, utime 14 and stime 15.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const cpuTicks = Number(fields[11]) + Number(fields[12]);
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const anonKb = Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN);
    return {
      cpuSeconds: cpuTicks / TICKS_PER_SECOND,
      anonMb: anonKb / 1024,
      diskBytes: Number(/^write_bytes: (\d+)/m.exec(readIo(pid))?.[1] ?? Number.NaN),
      ...readSyncs(syncFolder),
    };
  } catch {
    return null;
  }
}

/** What a process has used of processors; NaN when it is not known. */
export function cpuSecondsOf(target: {
  readonly pid: number;
  readonly syncFolder: string;
}): number {
  return processFacts(target.pid, target.syncFolder)?.cpuSeconds ?? Number.NaN;
}

function readIo(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/io`, 'utf8');
  } catch {
    return '';
  }
}

/** One file a thread, written by sync-probe.ts: count and milliseconds as doubles. */
function readSyncs(folder: string): { syncs: number; syncMs: number } {
  let syncs = 0;
  let syncMs = 0;
  if (folder === '') return { syncs: Number.NaN, syncMs: Number.NaN };
  for (const name of readdirSync(folder)) {
    const bytes = readFileSync(join(folder, name));
    if (bytes.length < 16) continue;
    syncs += bytes.readDoubleLE(0);
    syncMs += bytes.readDoubleLE(8);
  }
  return { syncs, syncMs };
}
