// Reads the golden captures of Java 4.9.7 in test/golden. What each file holds: test/golden/README.md.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

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
