// Room: cli. What `--version` tells: ours, the wire version that brokers and dashboards show, and what we run on.

import { readFileSync } from 'node:fs';
import { CURRENT_VERSION, versionName } from '../protocol/mq-version.js';

export function versionText(): string {
  const node = `Node ${process.versions.node}, N-API ${process.versions['napi'] ?? 'none'}`;
  return `cometmq ${packageVersion()}, wire ${versionName(CURRENT_VERSION)}, ${node}`;
}

/** src/cli and dist/cli are both two levels below the package. */
function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return String((JSON.parse(text) as { version?: unknown }).version);
}
