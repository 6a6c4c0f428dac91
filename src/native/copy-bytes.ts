// Room: native. Any thread. Hot (bench/20-ring-handoff). One copy between any two arrays, shared memory included, at the speed of the
// machine: V8 copies shared memory word by word, and Buffer.copy makes an object for each part of an array.

import { binding } from './binding.js';

/**
 * copyBytes(target, at, source, start, lengthBytes) answers the length, or -1 when a range is outside its array; nothing is copied
 * then. Worth its call from some 200 bytes on.
 */
export const copyBytes = binding.copyBytes;
