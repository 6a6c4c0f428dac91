// Reads the golden captures of Java 4.9.7 in test/golden. What each file holds: test/golden/README.md.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

export interface GoldenFrame {
  readonly name: string;
  readonly run: string;
  /** Equal in a request and its response. */
  readonly ex: string;
  readonly direction: string;
  readonly ser: 'JSON' | 'ROCKETMQ';
  readonly code: number;
  readonly reqCode: number;
  readonly opaque: number;
  /** The whole frame with its length word. */
  readonly hex: string;
}

export function goldenPath(name: string): string {
  return fileURLToPath(new URL(`./golden/${name}`, import.meta.url));
}

export function goldenJson<T>(name: string): T {
  return JSON.parse(readFileSync(goldenPath(name), 'utf8')) as T;
}

export function goldenFrames(): GoldenFrame[] {
  const lines = readFileSync(goldenPath('frames.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as GoldenFrame);
}

export function frameBytes(frame: GoldenFrame): Buffer {
  return Buffer.from(frame.hex, 'hex');
}

/** The files of a packed store by their path, e.g. "commitlog/00000000000000000000". */
export function goldenStoreFiles(name: string): Map<string, Buffer> {
  const tar = gunzipSync(readFileSync(goldenPath(name)));
  const files = new Map<string, Buffer>();
  for (let position = 0; position + TAR_BLOCK <= tar.length; ) {
    const path = tarText(tar, position, 100).replace(/^\.\//, '');
    if (path === '' && tar[position] === 0) break;
    const sizeBytes = Number.parseInt(tarText(tar, position + 124, 12), 8);
    const start = position + TAR_BLOCK;
    if (tarText(tar, position + 156, 1) === '0')
      files.set(path, tar.subarray(start, start + sizeBytes));
    position = start + Math.ceil(sizeBytes / TAR_BLOCK) * TAR_BLOCK;
  }
  return files;
}

const TAR_BLOCK = 512;

function tarText(tar: Buffer, position: number, length: number): string {
  return tar
    .toString('latin1', position, position + length)
    .replace(/\0.*$/s, '')
    .trim();
}
