// Room: broker, main thread. The version of a table that others hold copies of: equal versions mean equal tables. Versions
// are compared by equality only, since a clock that was wrong once must not block later changes (bug report 39).

import type { Clock } from '../../base/clock.js';
import type { DataVersion } from '../../protocol/bodies/topic-config.js';

export function firstVersion(clock: Clock): DataVersion {
  return { counter: 0, timestamp: clock.nowMs() };
}

export function nextVersion(version: DataVersion, clock: Clock): DataVersion {
  return { counter: version.counter + 1, timestamp: clock.nowMs() };
}

export function sameVersion(a: DataVersion, b: DataVersion): boolean {
  return a.counter === b.counter && a.timestamp === b.timestamp;
}
