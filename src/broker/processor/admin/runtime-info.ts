// Room: broker, main thread. The table of code 28: the keys and number formats that clusterList, the exporter and the dashboards
// parse (protocol 2.8). Numbers that this broker has no use for are there as Java gives them when idle.

import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { getLogger } from '../../../base/logger.js';
import { SCHEDULE_TOPIC } from '../../../message/topic-validator.js';
import { CURRENT_VERSION, versionName } from '../../../protocol/mq-version.js';
import type { StoreRuntimeInfo } from '../../../store/message-store.js';
import type { BrokerContext } from '../../broker-context.js';
import { doubleText } from '../../stats/store-stats.js';

const log = getLogger('broker.admin');

export async function runtimeInfo(broker: BrokerContext): Promise<Map<string, string>> {
  const { config } = broker;
  const store = await broker.store.runtimeInfo();
  const table = new Map<string, string>(Object.entries(broker.storeStats.runtimeInfo()));
  putStore(table, store, config.storePathCommitLog ?? join(config.storePathRootDir, 'commitlog'));
  putQueues(table, broker);
  table.set('brokerVersionDesc', versionName(CURRENT_VERSION));
  table.set('brokerVersion', String(CURRENT_VERSION));
  table.set('startAcceptSendRequestTimeStamp', String(config.startAcceptSendRequestTimeStamp));
  table.set('commitLogDirCapacity', await capacityText(config.storePathRootDir));
  await putSchedule(table, broker);
  putHealth(table, broker, store);
  return table;
}

function putStore(table: Map<string, string>, store: StoreRuntimeInfo, logPath: string): void {
  const ratio = doubleText(store.commitLogDiskRatio);
  table.set(`commitLogDiskRatio_${logPath}`, ratio);
  table.set('commitLogDiskRatio', ratio);
  table.set('consumeQueueDiskRatio', doubleText(store.consumeQueueDiskRatio));
  table.set('commitLogMinOffset', String(store.commitLogMinOffset));
  table.set('commitLogMaxOffset', String(store.commitLogMaxOffset));
  table.set('dispatchBehindBytes', String(store.dispatchBehindBytes));
  table.set('earliestMessageTimeStamp', String(store.earliestMessageTimestamp));
  table.set('remainHowManyDataToFlush', humanReadableBytes(store.flushBehindBytes));
  table.set('remainTransientStoreBufferNumbs', '2147483647');
  table.set('pageCacheLockTimeMills', '0');
}

/** There are no thread pools here: nothing ever waits in one. */
function putQueues(table: Map<string, string>, broker: BrokerContext): void {
  const { config } = broker;
  for (const [name, capacity] of [
    ['send', config.sendThreadPoolQueueCapacity],
    ['pull', config.pullThreadPoolQueueCapacity],
    ['query', config.queryThreadPoolQueueCapacity],
  ] as const) {
    table.set(`${name}ThreadPoolQueueSize`, '0');
    table.set(`${name}ThreadPoolQueueCapacity`, String(capacity));
    table.set(`${name}ThreadPoolQueueHeadWaitTimeMills`, '0');
  }
  table.set('EndTransactionQueueSize', '0');
  const capacity = String(config.endTransactionPoolQueueCapacity);
  table.set('EndTransactionThreadPoolQueueCapacity', capacity);
}

async function putSchedule(table: Map<string, string>, broker: BrokerContext): Promise<void> {
  for (const [level, offset] of broker.delayOffsets()) {
    const maxOffset = await broker.store.maxOffsetInQueue(SCHEDULE_TOPIC, level - 1);
    table.set(`scheduleMessageOffset_${level}`, `${offset},${maxOffset}`);
  }
}

/** Ours: what an operator should see and Java does not tell. */
function putHealth(
  table: Map<string, string>,
  broker: BrokerContext,
  store: StoreRuntimeInfo,
): void {
  table.set('damagedRecords', String(store.damagedRecords));
  // Java has the words, in its log only.
  table.set('slaveCount', String(store.slaveCount));
  table.set('push2SlaveMaxOffset', String(store.push2SlaveMaxOffset));
  const behind = store.slaveCount === 0 ? 0 : store.commitLogMaxOffset - store.push2SlaveMaxOffset;
  table.set('slaveFallBehindMuch', String(behind));
  table.set('inconsistentConsumerGroups', broker.consumers.inconsistentGroups().join(','));
  const saves = [broker.topics, broker.groups, broker.offsets];
  table.set('configSavesHealthy', String(saves.every((it) => it.isPersistHealthy)));
}

async function capacityText(path: string): Promise<string> {
  try {
    const { blocks, bavail, bsize } = await statfs(path);
    const total = humanReadableBytes(blocks * bsize);
    return `Total : ${total}, Free : ${humanReadableBytes(bavail * bsize)}.`;
  } catch (error) {
    log.warn('the size of the disk can not be read', { path, err: error });
    return 'Total : 0 B, Free : 0 B.';
  }
}

/** Java's: binary units with one decimal. */
export function humanReadableBytes(sizeBytes: number): string {
  if (sizeBytes < 1024) return `${sizeBytes} B`;
  let value = sizeBytes / 1024;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(1)} ${UNITS[unit]}`;
}

const UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
