// What a log or a master may hold and no validator has seen: topics of which no folder may be made (bug report 25).

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { ConsumeQueueTable } from '../../../src/store/consumequeue/consume-queue-table.js';
import { BuildConsumeQueue } from '../../../src/store/dispatch/build-consume-queue.js';
import { DispatchRequest } from '../../../src/store/dispatch/dispatch-request.js';
import { recoverStore } from '../../../src/store/recovery/recover-store.js';
import { newFolder, removeFolders } from '../golden-store.js';
import { logPath, message, smallConfig, writeLog } from '../small-store.js';

afterAll(removeFolders);

const TOPICS = ['T', '../../escaped', '..', '.', 'a/b', 'T'];

/** The store lies two folders deep, so that what escapes from it is seen. */
function makeLog() {
  const outside = newFolder();
  const root = join(outside, 'a', 'store');
  const stored = writeLog(
    root,
    TOPICS.map((topic, i) => message(i, topic, 0)),
  );
  return { outside, root, stored, config: smallConfig(root) };
}

function expectNoEscape(outside: string, root: string): void {
  expect(readdirSync(outside)).toEqual(['a']);
  expect(readdirSync(join(outside, 'a'))).toEqual(['store']);
  expect(readdirSync(join(root, 'consumequeue'))).toEqual(['T']);
  expect(readdirSync(root).filter((name) => /^\d+$|escaped/.test(name))).toEqual([]);
}

describe('records whose topic can be no folder', () => {
  it('get no entry when they are dispatched; their neighbours do', () => {
    const { outside, root, stored, config } = makeLog();
    const table = new ConsumeQueueTable(config);
    const build = new BuildConsumeQueue(table, { ...config, enableMultiDispatch: true }, null);
    const request = new DispatchRequest(config);
    const log = readFileSync(logPath(root, 0));
    for (const { physicalOffset } of stored) {
      request.read(log, physicalOffset, log.length);
      build.dispatch(request);
    }
    expect(table.find('T', 0)?.maxOffset).toBe(2);
    expectNoEscape(outside, root);
  });

  it('stay in the log and out of the queues when those are built anew', () => {
    const { outside, root, stored, config } = makeLog();
    const { maxOffset, queueOffsets } = recoverStore(config, new ManualClock());
    const last = stored.at(-1);
    expect(maxOffset).toBe((last?.physicalOffset ?? 0) + (last?.sizeBytes ?? 0));
    expect(queueOffsets.get('T-0')).toBe(2);
    expectNoEscape(outside, root);
  });
});
