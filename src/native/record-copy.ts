// Room: native. Commitlog worker. Hot (bench/50-append): the bulk of a record in one call of the addon. A call costs about 80 ns whatever
// it does, Buffer.copy as much again for the object that it makes; so the two copies and the sum of the body go together.

import { binding } from './binding.js';

/**
 * copyRecordParts(target, bodyAt, body, bodyStart, bodyLength, propertiesAt, properties, propertiesStart, propertiesLength) copies body
 * and properties into target and returns the CRC-32 of the body without its highest bit, as records keep it; -1 when a range is
 * outside its array, and nothing is copied then.
 */
export const copyRecordParts = binding.copyTwo;
