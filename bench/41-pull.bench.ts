// Pulling: 32 records found by their queue entries and copied once, with and without a tag filter.

import { parseTags, tagFilter } from '#dist/processor/pull-filter.js';
import { BuildConsumeQueue } from '#dist/store/dispatch/build-consume-queue.js';
import { DispatchRequest } from '#dist/store/dispatch/dispatch-request.js';
import { ReputAgent } from '#dist/store/dispatch/reput-agent.js';
import { GetMessage } from '#dist/store/get/get-message.js';
import type { MessageFilter } from '#dist/store/get/message-filter.js';
import { RecordCollector } from '#dist/store/get/record-collector.js';
import { LogReader } from '#dist/store/mapped/log-reader.js';
import { openStore } from '#dist/store/recovery/recover-store.js';
import { mustEqual, type Piece, type Trial, trial } from './harness.js';
import { appendRequest, PROPERTIES, TOPIC } from './samples.js';
import { mustAppend, openLog } from './store-fixture.js';

const PULL_MESSAGES = 32;
const SIZES = [128, 1024];

await trial('one record pulled', async (run) => {
  for (const size of SIZES) await pulls(run, size);
});

async function pulls(run: Trial, size: number): Promise<void> {
  const { log, cursors, config, clock, close } = openLog(run);
  const { table, index, deletedTopics } = openStore(config, clock);
  const count = run.scale(20_000, 320);
  const request = appendRequest(run.bytes(size));
  const other = appendRequest(request.body, PROPERTIES.replace('TagA', 'TagB'));
  for (let i = 0; i < count; i++) mustAppend(log, i % 4 === 0 ? other : request);
  log.publishWroteOffset();
  const reader = new LogReader(config, cursors);
  const agent = new ReputAgent({
    log: reader,
    cursors,
    request: new DispatchRequest(config),
    dispatchers: [new BuildConsumeQueue(table, config, null)],
    deletedTopics,
    clock,
    followFlushed: false,
    isSlave: false,
    listener: null,
    enableMultiDispatch: false,
    enableLmq: false,
    periodic: [],
  });
  while (agent.doWork() > 0);
  const get = new GetMessage(table, reader, { ...config, isSlave: false });
  const collector = new RecordCollector();
  const target = Buffer.alloc(1024 * 1024);
  const recordBytes = log.wroteOffset / count;
  const ops = Math.floor((count * 3) / 4 / PULL_MESSAGES) * PULL_MESSAGES;
  const pull = (filter: MessageFilter | null, deliver: () => void) => () => {
    let taken = 0;
    for (let at = 0; taken < ops; at = get.nextBeginOffset) {
      collector.clear();
      get.get(TOPIC, 0, at, PULL_MESSAGES, filter, collector);
      deliver();
      taken += collector.count;
    }
    mustEqual('pulled', taken >= ops, true);
  };
  const piece = (name: string, fn: () => void): Piece => ({ name, ops, bytes: recordBytes, fn });
  await run.group(`${PULL_MESSAGES} at a time, body of ${size} bytes`, [
    {
      ...piece(
        'found, a Buffer for each, Buffer.concat',
        pull(null, () => {
          Buffer.concat(collector.views());
        }),
      ),
      isBaseline: true,
    },
    piece(
      'found only',
      pull(null, () => {}),
    ),
    piece(
      'found and copied once',
      pull(null, () => collector.copyTo(target, 0)),
    ),
    piece(
      'the same, by a tag that 3 of 4 have',
      pull(tagFilter(parseTags('TagA')), () => collector.copyTo(target, 0)),
    ),
  ]);
  agent.close();
  reader.close();
  table.close();
  index.close();
  close();
}
