// Room: base. Any thread. Every bound of the system in one place; reaching one is a tested outcome, never a surprise.
// The relations between them are asserted when the module is loaded, so that no change of one breaks another unseen.

import { assert } from './assert.js';

const KIB = 1024;
const MIB = 1024 * KIB;

// Frames (protocol 1.1).

/** A whole frame with its length word. */
export const MAX_FRAME_BYTES = 16 * MIB;
/** The word behind the length keeps 24 bits for the header's length. */
export const MAX_HEADER_BYTES = 0xff_ff_ff;
/** The value of the length word: at least the header mark. */
export const MIN_FRAME_LENGTH = 4;
/** A pending buffer larger than this is let go when its frame is complete. */
export const KEPT_FRAME_BUFFER_BYTES = 64 * KIB;

// Messages (storage 3.5).

export const MAX_TOPIC_CHARS = 127;
export const MAX_TOPIC_BYTES = 127;
export const MAX_PROPERTIES_BYTES = 32_767;
export const MAX_GROUP_CHARS = 255;
export const DEFAULT_MAX_MESSAGE_BYTES = 4 * MIB;
/** What a record may hold beyond its body. */
export const RECORD_OVERHEAD_BYTES = 64 * KIB;
/** Bytes that stay free behind a record in its segment (storage 3.4). */
export const SEGMENT_END_BYTES = 8;
/** What one compressed body may inflate to. */
export const MAX_INFLATED_BYTES = 64 * MIB;
export const MAX_BATCH_MESSAGES = 65_536;

// JSON of bodies.

export const MAX_JSON_DEPTH = 64;

// Rings (architecture 3).

export const RING_BYTES = 32 * MIB;
export const RING_RECORD_OVERHEAD_BYTES = 64;

// Remoting.

export const IDLE_TIMEOUT_MS = 120_000;
export const CONNECT_TIMEOUT_MS = 3_000;
export const MAX_CONNECTIONS = 20_000;
export const MAX_OUTSTANDING_REQUESTS = 65_535;
/** A peer that does not read: beyond this its socket is not read any more. */
export const OUTBOUND_PAUSE_BYTES = 32 * MIB;
/** A peer that takes nothing for this long is closed. */
export const OUTBOUND_STALL_TIMEOUT_MS = 15_000;
/** Bytes of incomplete frames over all connections of a server. */
export const MAX_PARTIAL_FRAME_BYTES = 512 * MIB;
/** Log lines a second about peers that speak another protocol. */
export const MAX_PROTOCOL_LOG_LINES_PER_SECOND = 10;

// Control plane.

export const FLUSH_DISK_TIMEOUT_MS = 5_000;
export const FLUSH_SLAVE_TIMEOUT_MS = 3_000;
export const HA_BLOCK_BYTES = 32 * KIB;
/** A frame of replication with a length beyond it is none; a Java slave has as much room. */
export const MAX_HA_FRAME_BYTES = 4 * MIB;
export const MAX_SLAVE_CONNECTIONS = 64;
export const MAX_TOPICS = 200_000;
export const MAX_QUEUES_OF_TOPIC = 65_536;
/** Expressions of groups on topics; a group beyond it is told that its filter does not exist. */
export const MAX_CONSUMER_FILTERS = 100_000;
export const MAX_HELD_PULLS = 200_000;
export const MAX_PARKED_REPLIES = 1_000_000;
/** Commits and rollbacks under way; one beyond is refused, and its half is asked after later. */
export const MAX_ENDING_TRANSACTIONS = 16_384;
/** Delayed messages that are read in one go. */
export const MAX_SCHEDULE_PAGE_COUNT = 512;
export const MAX_SCHEDULE_PAGE_BYTES = 256 * KIB;
/** A delay level that holds more than this reads on when some of it is stored. */
export const MAX_SCHEDULE_HELD_BYTES = 2 * MIB;

assert(MAX_FRAME_BYTES - 1 <= MAX_HEADER_BYTES, 'a header length always fits in its 24 bits');
assert(RING_BYTES > MAX_FRAME_BYTES + RING_RECORD_OVERHEAD_BYTES, 'a ring holds the largest frame');
assert(
  DEFAULT_MAX_MESSAGE_BYTES + RECORD_OVERHEAD_BYTES < MAX_FRAME_BYTES,
  'the largest record fits in a frame',
);
assert(MAX_PROPERTIES_BYTES + MAX_TOPIC_BYTES + 128 < RECORD_OVERHEAD_BYTES, 'a record fits');
assert(MAX_TOPIC_BYTES <= 0x7f, 'the topic length is one signed byte');
assert(MAX_PROPERTIES_BYTES <= 0x7fff, 'the properties length is one signed short');
assert(OUTBOUND_PAUSE_BYTES >= MAX_FRAME_BYTES, 'one answer never pauses an idle peer');
assert(
  MAX_SCHEDULE_PAGE_BYTES + MAX_FRAME_BYTES + RING_RECORD_OVERHEAD_BYTES < RING_BYTES,
  'a page of delayed messages and one record more fit in a ring',
);
assert(MAX_PARTIAL_FRAME_BYTES >= MAX_FRAME_BYTES, 'one frame may always be gathered');
assert(KEPT_FRAME_BUFFER_BYTES <= MAX_FRAME_BYTES, 'kept buffers are smaller than a frame');
assert(FLUSH_SLAVE_TIMEOUT_MS <= FLUSH_DISK_TIMEOUT_MS, 'the waits are ordered');
