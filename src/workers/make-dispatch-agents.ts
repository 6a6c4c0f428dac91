// Room: workers; runs in the dispatch thread, which opens the store.

import type { Clock } from '../base/clock.js';
import { ConsumerFilterReplicas } from '../processor/consumer-filter-replicas.js';
import { PullMessageProcessor } from '../processor/pull-message-processor.js';
import { TableReplicas } from '../processor/table-replicas.js';
import { CleanConsumeQueueService } from '../store/consumequeue/clean-consume-queue-service.js';
import { tagsHighOf, tagsLowOf } from '../store/consumequeue/cq-unit.js';
import { FlushConsumeQueueService } from '../store/consumequeue/flush-consume-queue-service.js';
import { BuildConsumeQueue } from '../store/dispatch/build-consume-queue.js';
import { BuildIndex } from '../store/dispatch/build-index.js';
import { CalcBitMap } from '../store/dispatch/calc-bit-map.js';
import { DispatchRequest } from '../store/dispatch/dispatch-request.js';
import type { Dispatcher } from '../store/dispatch/dispatcher.js';
import { type MessageArrivingListener, ReputAgent } from '../store/dispatch/reput-agent.js';
import { StoreSummarizer } from '../store/dispatch/store-summarizer.js';
import { GetMessage } from '../store/get/get-message.js';
import { RecordGuard } from '../store/get/record-guard.js';
import { LogReader } from '../store/mapped/log-reader.js';
import {
  type OpenedStore,
  openStore,
  type RecoveredState,
} from '../store/recovery/recover-store.js';
import { StoreCheckpoint } from '../store/store-checkpoint.js';
import type { StoreConfig } from '../store/store-config.js';
import { StoreCursor } from '../store/store-cursors.js';
import { storePaths } from '../store/store-paths.js';
import { DispatchAgent } from './dispatch-agent.js';
import type { MadeAgents } from './make-agents.js';
import { PoolRanges } from './pool-ranges.js';
import { ReplyWriter } from './reply-writer.js';
import { StoreCommands } from './store-commands.js';
import type { BrokerLinks } from './thread-plan.js';
import type { WorkerSettings } from './worker-settings.js';

export function makeDispatchAgents(
  settings: WorkerSettings,
  links: BrokerLinks,
  clock: Clock,
): MadeAgents {
  const { store, broker } = settings;
  const checkpoint = new StoreCheckpoint(storePaths(store).checkpoint);
  const opened = openStore(store, clock, checkpoint);
  const { state, table, index, deletedTopics } = opened;
  setRecoveredCursors(links, state);
  const isSlave = store.brokerRole === 'SLAVE';
  const log = new LogReader(store, links.cursors);
  const guard = new RecordGuard(state.verifiedFrom, state.holes);
  const getMessage = new GetMessage(table, log, { ...store, isSlave }, guard);
  const filters = new ConsumerFilterReplicas(broker, clock);
  const tables = new TableReplicas(filters);
  const out = new ReplyWriter(links.dispatchToMain);
  const summarizer = makeSummarizer(store, links, opened);
  const ranges = poolRanges(out, links);
  const cleaner = new CleanConsumeQueueService(table, index, store, () =>
    links.cursors.get(StoreCursor.logMinOffset),
  );
  const reput = new ReputAgent({
    log,
    cursors: links.cursors,
    request: new DispatchRequest(store),
    dispatchers: makeDispatchers(settings, opened, checkpoint, filters),
    deletedTopics,
    clock,
    followFlushed: store.flushDiskType === 'SYNC_FLUSH',
    isSlave,
    listener: arrivalListener(() => agent),
    enableMultiDispatch: store.enableMultiDispatch,
    enableLmq: store.enableLmq,
    periodic: makePeriodicWork(store, opened, checkpoint, summarizer, ranges, cleaner),
    onStalled: (isStalled) => links.runningFlags.setLogicsQueueError(isStalled),
  });
  const processor = new PullMessageProcessor(getMessage, tables, filters, {
    ...broker,
    isSlave,
    offsetCheckInSlave: store.offsetCheckInSlave,
    onCommitOffset: (group, topic, queueId, queueOffset) =>
      agent.commitOffset(group, topic, queueId, queueOffset),
  });
  const parts = { log, guard, getMessage, summarizer, cleaner };
  const commands = makeCommands(store, links, opened, parts);
  const agent: DispatchAgent = new DispatchAgent({
    links,
    out,
    reput,
    table,
    processor,
    commands,
    ranges,
    log,
    tables,
    clock,
    close: () => {
      summarizer.write(true);
      table.close();
      index.close();
      log.close();
      checkpoint.close();
    },
  });
  return { agents: [agent], recovered: state };
}

function poolRanges(out: ReplyWriter, links: BrokerLinks): PoolRanges {
  return new PoolRanges((task) => {
    out.event({ event: 'range', task });
    links.wakes.main.wake();
  });
}

function makeSummarizer(
  store: StoreConfig,
  { cursors }: BrokerLinks,
  { table, index, deletedTopics }: OpenedStore,
): StoreSummarizer {
  return new StoreSummarizer(store.storePathRootDir, table, index, deletedTopics, () => ({
    minOffset: cursors.get(StoreCursor.logMinOffset),
    maxOffset: cursors.get(StoreCursor.reputFromOffset),
  }));
}

/** What the dispatch thread does by the clock: flushing queues, and forgetting what the log no longer has. */
function makePeriodicWork(
  store: StoreConfig,
  { table }: OpenedStore,
  checkpoint: StoreCheckpoint,
  summarizer: StoreSummarizer,
  ranges: PoolRanges,
  cleaner: CleanConsumeQueueService,
) {
  const flushQueues = new FlushConsumeQueueService({
    table,
    config: store,
    checkpoint,
    syncRange: ranges.syncRange,
    onThorough: () => summarizer.write(false),
    onQueueFailed: (queue) => summarizer.markForRebuild(queue),
  });
  return [flushQueues, cleaner];
}

/** Nothing is worked out while nobody waits. The agent is made after ReputAgent, whose news it takes. */
function arrivalListener(agentOf: () => DispatchAgent): MessageArrivingListener {
  return {
    onArrival: (topic, queueId, nextOffset, tagsCode, _storeTimestamp, record) => {
      const agent = agentOf();
      if (agent.held.count === 0) return;
      const tagsHigh = tagsHighOf(tagsCode);
      agent.onArrival(topic, queueId, nextOffset, tagsHigh, tagsLowOf(tagsCode), record);
    },
  };
}

function makeDispatchers(
  { store, broker }: WorkerSettings,
  { table, index }: OpenedStore,
  checkpoint: StoreCheckpoint,
  filters: ConsumerFilterReplicas,
): Dispatcher[] {
  const isSlave = store.brokerRole === 'SLAVE';
  const dispatchers: Dispatcher[] = [new BuildConsumeQueue(table, store, checkpoint, isSlave)];
  // Without the ext stream there is nowhere to keep a bitmap.
  if (broker.enableCalcFilterBitMap && store.enableConsumeQueueExt) {
    dispatchers.unshift(new CalcBitMap(filters));
  }
  if (store.messageIndexEnable) dispatchers.push(new BuildIndex(index));
  return dispatchers;
}

function makeCommands(
  store: StoreConfig,
  { cursors }: BrokerLinks,
  { state, table, index }: OpenedStore,
  parts: {
    readonly log: LogReader;
    readonly guard: RecordGuard;
    readonly getMessage: GetMessage;
    readonly summarizer: StoreSummarizer;
    readonly cleaner: CleanConsumeQueueService;
  },
): StoreCommands {
  const paths = storePaths(store);
  return new StoreCommands({
    table,
    index,
    getMessage: parts.getMessage,
    log: parts.log,
    cursors,
    maxMsgsNumBatch: store.maxMsgsNumBatch,
    commitLogPath: paths.commitLogs[0] ?? paths.root,
    rootPath: paths.root,
    damagedRecords: () =>
      state.damagedRecords + parts.guard.damagedReads + parts.getMessage.repairedEntries,
    cleaner: parts.cleaner,
    deleteTopics: (topics) =>
      parts.summarizer.deleteTopics(topics, cursors.get(StoreCursor.wroteOffset)),
  });
}

/** No other thread runs yet: the one time when the cursors are not their owners'. */
function setRecoveredCursors(links: BrokerLinks, state: RecoveredState): void {
  const { cursors } = links;
  cursors.set(StoreCursor.logMinOffset, state.minOffset);
  cursors.set(StoreCursor.wroteOffset, state.maxOffset);
  cursors.set(StoreCursor.flushedWhere, state.maxOffset);
  cursors.set(StoreCursor.reputFromOffset, state.reputFromOffset);
}
