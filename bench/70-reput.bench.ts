// Dispatching: from new records in the log to queue entries and index entries.

import { BuildConsumeQueue } from '#dist/store/dispatch/build-consume-queue.js';
import { BuildIndex } from '#dist/store/dispatch/build-index.js';
import { DispatchRequest } from '#dist/store/dispatch/dispatch-request.js';
import { ReputAgent } from '#dist/store/dispatch/reput-agent.js';
import { LogReader } from '#dist/store/mapped/log-reader.js';
import { openStore } from '#dist/store/recovery/recover-store.js';
import { mustEqual, type Piece, type Trial, trial } from './harness.js';
import { appendRequest, PROPERTIES } from './samples.js';
import { mustAppend, openLog } from './store-fixture.js';

const BODY_BYTES = 256;
const UNIQUE_KEY_DIGITS = 8;

interface Case {
  readonly name: string;
  readonly topics: number;
  readonly properties: string;
  readonly indexed: boolean;
}

const CASES: readonly Case[] = [
  { name: 'read the record alone', topics: 1, properties: PROPERTIES, indexed: false },
  { name: 'one queue, no index', topics: 1, properties: PROPERTIES, indexed: false },
  { name: '100 topics, no index', topics: 100, properties: PROPERTIES, indexed: false },
  { name: 'one queue, two index entries', topics: 1, properties: PROPERTIES, indexed: true },
];

await trial('one record of 256 bytes with a key, a tag and a unique key', async (run) => {
  const body = run.bytes(BODY_BYTES);
  const count = run.scale(10_000, 50);
  const made = CASES.map((item, i) => piece(run, item, i === 0, body, count));
  await run.group(
    `${count} records a call`,
    made.map((it) => it.piece),
  );
  for (const { close } of made) close();
});

function piece(run: Trial, item: Case, isBare: boolean, body: Buffer, count: number) {
  const { log, cursors, config, clock, close } = openLog(run);
  const opened = openStore(config, clock);
  const { table, index, deletedTopics } = opened;
  const request = appendRequest(body, item.properties);
  const keyAt = item.properties.indexOf('UNIQ_KEY') + 'UNIQ_KEY'.length + 1;
  const queues = new BuildConsumeQueue(table, config, null);
  const all = item.indexed ? [queues, new BuildIndex(index)] : [queues];
  const reader = new LogReader(config, cursors);
  const agent = new ReputAgent({
    log: reader,
    cursors,
    request: new DispatchRequest(config),
    dispatchers: isBare ? [] : all,
    deletedTopics,
    clock,
    followFlushed: false,
    isSlave: false,
    listener: null,
    enableMultiDispatch: false,
    enableLmq: false,
    periodic: [],
  });
  let serial = 0;
  const result: Piece = {
    name: item.name,
    ops: count,
    isBaseline: isBare,
    beforeEach: () => {
      log.beginBatch(Date.now());
      for (let i = 0; i < count; i++) {
        request.topic = `BenchmarkTopic${i % item.topics}`;
        Buffer.from(request.properties.buffer, request.properties.byteOffset).write(
          String(serial++).padStart(UNIQUE_KEY_DIGITS, '0'),
          keyAt,
        );
        mustAppend(log, request);
      }
      log.publishWroteOffset();
    },
    fn: () => {
      while (agent.doWork() > 0);
      mustEqual('dispatched', agent.reputFromOffset, log.wroteOffset);
    },
  };
  return {
    piece: result,
    close() {
      agent.close();
      reader.close();
      table.close();
      index.close();
      close();
    },
  };
}
