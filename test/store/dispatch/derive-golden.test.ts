// Every ConsumeQueue and index file of the golden stores comes out again, byte for byte, when their logs are dispatched afresh.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { ConsumeQueueTable } from '../../../src/store/consumequeue/consume-queue-table.js';
import { MappedFilePool } from '../../../src/store/consumequeue/queue-file.js';
import { BuildConsumeQueue } from '../../../src/store/dispatch/build-consume-queue.js';
import { BuildIndex } from '../../../src/store/dispatch/build-index.js';
import { DispatchRequest } from '../../../src/store/dispatch/dispatch-request.js';
import type { Dispatcher } from '../../../src/store/dispatch/dispatcher.js';
import { IndexService } from '../../../src/store/index/index-service.js';
import { walkLog } from '../../../src/store/recovery/log-walk.js';
import { openStore } from '../../../src/store/recovery/recover-store.js';
import { RecoveryLog } from '../../../src/store/recovery/recovery-log.js';
import {
  type GoldenName,
  goldenConfig,
  goldenDump,
  removeFolders,
  unpack,
} from '../golden-store.js';

afterAll(removeFolders);

const NAMES: GoldenName[] = ['main', 'kill9', 'v6', 'ha-master', 'ha-slave', 'sql'];

describe.each(NAMES)('the golden store %s', (name) => {
  it('opens, ends where Java ended and finds nothing to heal', () => {
    const root = unpack(name);
    const config = goldenConfig(name, root);
    const before = filesOf(root);
    const { state, table, index } = openStore(config, new ManualClock());
    const dump = goldenDump(name);
    const last = dump.commitlog.at(-1);
    expect(state.maxOffset).toBe(Number(last?.name) + (last?.used ?? 0));
    expect(state.damagedRecords).toBe(0);
    for (const [queueName, files] of Object.entries(dump.consumequeue)) {
      const slash = queueName.lastIndexOf('/');
      const queue = table.find(queueName.slice(0, slash), Number(queueName.slice(slash + 1)));
      const count = files.reduce((sum, file) => sum + file.count, 0);
      expect([queueName, queue?.maxOffset]).toEqual([queueName, count]);
    }
    table.close();
    index.close();
    expect(filesOf(root)).toEqual(before);
  });

  it('lists exactly the messages that Java listed', () => {
    const root = unpack(name);
    const config = goldenConfig(name, root);
    const seen: object[] = [];
    const log = new RecoveryLog(config);
    log.load();
    const options = { checkCrc: true, flushedUpToMs: null };
    walkLog(log, log.minOffset, new DispatchRequest(config), options, (r) => {
      seen.push({
        off: r.physicalOffset,
        size: r.sizeBytes,
        queueId: r.queueId,
        queueOffset: r.queueOffset,
        sysFlag: r.sysFlag,
        store: r.storeTimestamp,
        topic: r.topic,
        propsRaw: r.buffer.toString(
          'utf8',
          r.propertiesStart,
          r.propertiesStart + r.propertiesLength,
        ),
      });
    });
    log.close();
    const listed = [
      ...(name === 'kill9' ? goldenDump('main').messages : []),
      ...goldenDump(name).messages,
    ];
    expect(seen).toEqual(
      listed.map(({ off, size, queueId, queueOffset, sysFlag, store, topic, propsRaw }) => ({
        off,
        size,
        queueId,
        queueOffset,
        sysFlag,
        store,
        topic,
        propsRaw,
      })),
    );
  });

  it('has queues and index that its log gives again', () => {
    const root = unpack(name);
    const before = filesOf(root);
    for (const folder of ['consumequeue', 'consumequeue_ext', 'index']) {
      rmSync(join(root, folder), { recursive: true, force: true });
    }
    const config = goldenConfig(name, root);
    // Two mapped files at once: the pool must not matter.
    const table = new ConsumeQueueTable(config, new MappedFilePool(2));
    const index = new IndexService(config, { clock: new ManualClock() });
    const dispatchers = [
      goldenBitMaps(name),
      new BuildConsumeQueue(table, config, null),
      new BuildIndex(index),
    ];
    const log = new RecoveryLog(config);
    log.load();
    const options = { checkCrc: true, flushedUpToMs: null };
    walkLog(log, log.minOffset, new DispatchRequest(config), options, (request) => {
      for (const dispatcher of dispatchers) dispatcher.dispatch(request);
    });
    log.close();
    table.close();
    index.close();
    expect(table.pool.mappedCount).toBe(0);
    expect(filesOf(root)).toEqual(before);
  });
});

/** Digests of derived files; index files by their place, since their names are times. */
function filesOf(root: string): Record<string, string> {
  const digests: Record<string, string> = {};
  const visit = (folder: string) => {
    const entries = readdirSync(join(root, folder), { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const [i, entry] of entries.entries()) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) visit(path);
      else {
        const digest = createHash('sha256')
          .update(readFileSync(join(root, path)))
          .digest('hex');
        digests[folder === 'index' ? `index/${i}` : path] = digest;
      }
    }
  };
  for (const folder of ['consumequeue', 'consumequeue_ext', 'index']) {
    if (readdirSync(root).includes(folder)) visit(folder);
  }
  return digests;
}

/** The bitmaps that the filters of the golden broker gave; they are not in the log. */
function goldenBitMaps(name: GoldenName): Dispatcher {
  const units = new Map<string, string[]>();
  for (const [path, file] of Object.entries(goldenDump(name).consumequeue_ext ?? {}).sort()) {
    const topic = path.slice(0, path.indexOf('/'));
    const ofTopic = file.units.map(({ bitMap }) => bitMap);
    units.set(topic, [...(units.get(topic) ?? []), ...ofTopic]);
  }
  return {
    dispatch(request) {
      const bitMap = units.get(request.topic)?.[request.queueOffset] ?? '';
      request.bitMap = bitMap === '' ? null : Buffer.from(bitMap, 'hex');
    },
  };
}
