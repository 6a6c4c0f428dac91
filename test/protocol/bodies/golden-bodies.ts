// Bodies of the golden frames by name of the frame, each once.

import { decodeFrame } from '../../../src/protocol/frame-codec.js';
import { frameBytes, goldenFrames } from '../../golden-data.js';

/** All bodies of frames of that name, e.g. "HEART_BEAT.request"; never none. */
export function goldenBodies(name: string, encoded: 'JSON' | 'any' = 'JSON'): Buffer[] {
  const bodies: Buffer[] = [];
  for (const frame of goldenFrames()) {
    if (frame.name !== name) continue;
    const { body } = decodeFrame(frameBytes(frame));
    if (body !== null && (encoded === 'any' || body[0] === 0x7b)) bodies.push(body);
  }
  if (bodies.length === 0) throw new Error(`no golden frame ${name} has a body`);
  return bodies;
}

/** What Java wrote, read and written again, for a test to compare. */
export function roundTrips<T>(
  name: string,
  decode: (body: Buffer) => T,
  encode: (value: T) => Buffer,
): { readonly java: string[]; readonly ours: string[] } {
  const bodies = goldenBodies(name);
  return {
    java: bodies.map((body) => body.toString('utf8')),
    ours: bodies.map((body) => encode(decode(body)).toString('utf8')),
  };
}
