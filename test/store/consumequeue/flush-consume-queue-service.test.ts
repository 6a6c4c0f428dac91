import { afterAll, describe, expect, it } from 'vitest';
import { setFaults } from '../../../src/native/fs.js';
import { ConsumeQueueTable } from '../../../src/store/consumequeue/consume-queue-table.js';
import {
  FlushConsumeQueueService,
  type SyncRange,
} from '../../../src/store/consumequeue/flush-consume-queue-service.js';
import { newFolder, removeFolders, storeConfig } from '../golden-store.js';

afterAll(removeFolders);

const config = {
  flushIntervalConsumeQueue: 1_000,
  flushConsumeQueueLeastPages: 2,
  flushConsumeQueueThoroughInterval: 60_000,
};

function setup(syncRange?: SyncRange) {
  // 1,000 entries a file: 20,000 bytes, 4.9 pages.
  const table = new ConsumeQueueTable(
    storeConfig(newFolder(), { mappedFileSizeConsumeQueue: 20_000 }),
  );
  const queue = table.findOrCreate('T', 0);
  const fill = (count: number) => {
    const from = queue.maxOffset;
    for (let i = from; i < from + count; i++) queue.append(i * 100, 100, 0, 0, i);
  };
  const checkpoint = {
    logicsMsgTimestamp: 0,
    onDisk: 0,
    flush() {
      this.onDisk = this.logicsMsgTimestamp;
    },
  };
  const events: string[] = [];
  const service = new FlushConsumeQueueService({
    table,
    config,
    checkpoint,
    onThorough: () => events.push('thorough'),
    onQueueFailed: (failed) => events.push(`failed ${failed.topic}`),
    ...(syncRange === undefined ? {} : { syncRange }),
  });
  const flushed = () => queue.files.files.map((file) => file.flushedPosition);
  return { queue, fill, checkpoint, service, events, flushed };
}

describe('FlushConsumeQueueService', () => {
  it('writes a file every second once it has two dirty pages, and a full one always', () => {
    const made = setup();
    made.fill(300);
    expect(made.service.run(0)).toBe(1_000);
    expect(made.flushed()).toEqual([0]);
    made.fill(200);
    made.service.run(1_000);
    expect(made.flushed()).toEqual([10_000]);
    made.fill(510);
    made.service.run(2_000);
    expect(made.flushed()).toEqual([20_000, 0]);
  });

  it('writes everything once a minute, and the checkpoint as it was before', () => {
    const made = setup();
    made.fill(3);
    made.checkpoint.logicsMsgTimestamp = 77;
    made.service.run(0);
    made.service.run(59_999);
    expect([made.flushed(), made.checkpoint.onDisk]).toEqual([[0], 0]);
    made.service.run(60_000);
    expect([made.flushed(), made.checkpoint.onDisk, made.events]).toEqual([[60], 77, ['thorough']]);
  });

  it('moves the checkpoint only when the syncs of another thread are done, and not past their begin', () => {
    const pending: ((isDone: boolean) => void)[] = [];
    const made = setup((_path, _size, _at, _length, onDone) => pending.push(onDone));
    made.fill(3);
    made.checkpoint.logicsMsgTimestamp = 77;
    made.service.flushAll();
    made.checkpoint.logicsMsgTimestamp = 99;
    made.fill(2);
    expect([made.checkpoint.onDisk, made.events]).toEqual([0, []]);
    for (const onDone of pending) onDone(true);
    expect([made.checkpoint.onDisk, made.checkpoint.logicsMsgTimestamp]).toEqual([77, 99]);
    expect([made.flushed(), made.events]).toEqual([[60], ['thorough']]);
  });

  it('tells a queue that can not be written, once, and leaves the checkpoint where it was', () => {
    const made = setup();
    made.fill(3);
    made.checkpoint.logicsMsgTimestamp = 77;
    setFaults('msync@1=EIO');
    try {
      made.service.flushAll();
    } finally {
      setFaults('');
    }
    made.service.flushAll();
    expect(made.events.filter((event) => event === 'failed T')).toHaveLength(1);
    expect(made.checkpoint.onDisk).toBe(0);
  });
});
