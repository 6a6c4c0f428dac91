import { afterAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import type { CursorPage } from '../../../src/ring/cursor.js';
import { ConsumeQueueTable } from '../../../src/store/consumequeue/consume-queue-table.js';
import { BuildConsumeQueue } from '../../../src/store/dispatch/build-consume-queue.js';
import { BuildIndex } from '../../../src/store/dispatch/build-index.js';
import { DeletedTopics } from '../../../src/store/dispatch/deleted-topics.js';
import { DispatchRequest } from '../../../src/store/dispatch/dispatch-request.js';
import type { Dispatcher } from '../../../src/store/dispatch/dispatcher.js';
import { ReputAgent, type ReputAgentOptions } from '../../../src/store/dispatch/reput-agent.js';
import { IndexService } from '../../../src/store/index/index-service.js';
import { LogReader } from '../../../src/store/mapped/log-reader.js';
import { createStoreCursors, StoreCursor } from '../../../src/store/store-cursors.js';
import { goldenConfig, goldenDump, newFolder, removeFolders, unpack } from '../golden-store.js';
import {
  logPath,
  message,
  patch,
  type StoredMessage,
  smallConfig,
  writeLog,
} from '../small-store.js';

afterAll(removeFolders);

const MESSAGES = 60;

interface Setup {
  readonly root: string;
  readonly stored: StoredMessage[];
  readonly end: number;
  readonly cursors: CursorPage;
  readonly clock: ManualClock;
  readonly table: ConsumeQueueTable;
  readonly index: IndexService;
  readonly agent: ReputAgent;
  readonly arrivals: string[];
  readonly stalls: boolean[];
}

function setup(changes: Partial<ReputAgentOptions> = {}, first?: Dispatcher): Setup {
  const root = newFolder();
  const stored = writeLog(
    root,
    Array.from({ length: MESSAGES }, (_, i) => message(i)),
  );
  const last = stored.at(-1)!;
  const config = smallConfig(root);
  const cursors = createStoreCursors();
  const clock = new ManualClock();
  const table = new ConsumeQueueTable(config);
  const index = new IndexService(config, { clock });
  const arrivals: string[] = [];
  const stalls: boolean[] = [];
  const dispatchers = [new BuildConsumeQueue(table, config, null), new BuildIndex(index)];
  const agent = new ReputAgent({
    log: new LogReader({ ...config, diskSpaceCleanForciblyRatio: 0.85 }, cursors),
    cursors,
    request: new DispatchRequest(config),
    dispatchers: first === undefined ? dispatchers : [first, ...dispatchers],
    deletedTopics: new DeletedTopics(),
    clock,
    followFlushed: false,
    isSlave: false,
    listener: {
      onArrival: (topic, queueId, nextOffset, tagsCode) => {
        arrivals.push(`${topic}-${queueId}-${nextOffset}-${tagsCode}`);
      },
    },
    enableMultiDispatch: false,
    enableLmq: false,
    periodic: [],
    onStalled: (isStalled) => stalls.push(isStalled),
    ...changes,
  });
  const end = last.physicalOffset + last.sizeBytes;
  return { root, stored, end, cursors, clock, table, index, agent, arrivals, stalls };
}

function max(made: Setup, queueId: number): number {
  return made.table.find('T', queueId)?.maxOffset ?? 0;
}

describe('ReputAgent', () => {
  it('derives what was written, over the ends of files, and tells each arrival', () => {
    const made = setup();
    expect(made.agent.doWork()).toBe(0);
    made.cursors.set(StoreCursor.wroteOffset, made.end);
    expect(made.agent.hasWork()).toBe(true);
    while (made.agent.doWork() > 0);
    expect([max(made, 0), max(made, 1)]).toEqual([30, 30]);
    expect(made.cursors.get(StoreCursor.reputFromOffset)).toBe(made.end);
    expect(made.agent.hasWork()).toBe(false);
    expect(made.arrivals).toHaveLength(MESSAGES);
    expect(made.arrivals[2]).toBe(`T-0-2-${'t2'.charCodeAt(0) * 31 + 50}`);
    expect(made.index.query('T', 'k59', 1, 0, 2 ** 50).physicalOffsets).toEqual([
      made.stored.at(-1)?.physicalOffset,
    ]);
  });

  it('shows nothing that is not on disk when the flush is synchronous', () => {
    const made = setup({ followFlushed: true });
    made.cursors.set(StoreCursor.wroteOffset, made.end);
    expect([made.agent.doWork(), made.agent.hasWork()]).toEqual([0, false]);
    const third = made.stored[3]!;
    made.cursors.set(StoreCursor.flushedWhere, third.physicalOffset);
    made.agent.doWork();
    expect([max(made, 0), max(made, 1)]).toEqual([2, 1]);
  });

  it('never takes a record of which the last byte may not be read yet', () => {
    const made = setup({ isSlave: true });
    const second = made.stored[1]!;
    made.cursors.set(StoreCursor.wroteOffset, second.physicalOffset + second.sizeBytes - 1);
    made.agent.doWork();
    expect(made.cursors.get(StoreCursor.reputFromOffset)).toBe(second.physicalOffset);
    // Nor does it ask again and again for what a dead master will never send.
    expect([made.agent.doWork(), made.agent.hasWork()]).toEqual([0, false]);
    made.cursors.set(StoreCursor.wroteOffset, made.end);
    expect(made.agent.hasWork()).toBe(true);
    while (made.agent.doWork() > 0);
    expect(max(made, 0)).toBe(30);
    // A slave holds no pulls.
    expect(made.arrivals).toEqual([]);
  });

  it('skips on a master what is no record, and counts it', () => {
    const made = setup();
    const third = made.stored[3]!;
    patch(logPath(made.root, 0), third.physicalOffset + 84, Uint8Array.of(0, 0, 0, 1));
    made.cursors.set(StoreCursor.wroteOffset, made.end);
    while (made.agent.doWork() > 0);
    expect(made.agent.skippedBytes).toBe(third.sizeBytes);
    expect(max(made, 0)).toBe(30);
  });

  it('waits while queues can not be written, says so, and goes on without a gap', () => {
    let failures = 3;
    const full: Dispatcher = {
      dispatch: (request) => {
        if (request.queueOffset === 5 && failures-- > 0) throw new Error('ENOSPC');
      },
    };
    const made = setup({}, full);
    made.cursors.set(StoreCursor.wroteOffset, made.end);
    made.agent.doWork();
    expect(made.stalls).toEqual([true]);
    expect([max(made, 0), made.agent.hasWork(), made.agent.doWork()]).toEqual([5, false, 0]);
    for (let i = 0; i < 3; i++) {
      made.clock.advance(1_000);
      made.agent.doWork();
    }
    expect(made.stalls).toEqual([true, false]);
    expect([max(made, 0), max(made, 1)]).toEqual([30, 30]);
    expect(new Set(made.arrivals).size).toBe(MESSAGES);
  });

  it('begins at the start of the log when that has moved past it', () => {
    const made = setup();
    made.cursors.set(StoreCursor.logMinOffset, 16_384);
    made.cursors.set(StoreCursor.wroteOffset, made.end);
    while (made.agent.doWork() > 0);
    const first = made.stored.find(({ physicalOffset }) => physicalOffset >= 16_384)!;
    expect(made.table.find('T', first.queueId)?.minOffset).toBe(first.queueOffset);
  });

  it('leaves out records of topics that were deleted after them', () => {
    const deletedTopics = new DeletedTopics();
    const made = setup({ deletedTopics });
    const tenth = made.stored[10]!;
    deletedTopics.add('T', tenth.physicalOffset);
    made.cursors.set(StoreCursor.wroteOffset, tenth.physicalOffset);
    made.agent.doWork();
    expect([max(made, 0), made.arrivals]).toEqual([0, []]);
  });

  it('runs its periodic work by the clock and sleeps no longer than to the next', () => {
    const runs: number[] = [];
    const run = (nowMs: number) => {
      runs.push(nowMs);
      return 500;
    };
    const work = { run, close: () => runs.push(-1) };
    const made = setup({ periodic: [work] });
    made.agent.doWork();
    made.clock.advance(499);
    made.agent.doWork();
    expect([runs, made.agent.maxSleepMs()]).toEqual([[0], 1]);
    made.clock.advance(1);
    made.agent.doWork();
    made.agent.close();
    expect(runs).toEqual([0, 500, -1]);
  });
});

describe('multi-dispatch', () => {
  it('writes an entry, and tells an arrival, for each queue that a record names', () => {
    const root = unpack('sql');
    const config = { ...goldenConfig('sql', root), enableConsumeQueueExt: false };
    const cursors = createStoreCursors();
    const table = new ConsumeQueueTable({ ...config, storePathRootDir: newFolder() });
    const arrivals: string[] = [];
    const end = goldenDump('sql').commitlog[0]?.used ?? 0;
    cursors.set(StoreCursor.wroteOffset, end);
    const agent = new ReputAgent({
      log: new LogReader({ ...config, diskSpaceCleanForciblyRatio: 0.85 }, cursors),
      cursors,
      request: new DispatchRequest(config),
      dispatchers: [new BuildConsumeQueue(table, config, null)],
      deletedTopics: new DeletedTopics(),
      clock: new ManualClock(),
      followFlushed: false,
      isSlave: false,
      listener: { onArrival: (topic, id, next) => arrivals.push(`${topic}-${id}-${next}`) },
      enableMultiDispatch: true,
      enableLmq: true,
      periodic: [],
    });
    while (agent.doWork() > 0);
    for (const [name, files] of Object.entries(goldenDump('sql').consumequeue)) {
      const [topic, id] = [name.slice(0, name.lastIndexOf('/')), 0];
      const count = files[0]?.count ?? 0;
      expect([name, table.find(topic, id)?.maxOffset]).toEqual([name, count]);
      expect(arrivals).toContain(`${topic}-0-${count}`);
    }
    table.close();
  });
});
