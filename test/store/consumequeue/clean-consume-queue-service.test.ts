import { afterAll, describe, expect, it } from 'vitest';
import { CleanConsumeQueueService } from '../../../src/store/consumequeue/clean-consume-queue-service.js';
import { ConsumeQueueTable } from '../../../src/store/consumequeue/consume-queue-table.js';
import { newFolder, removeFolders, storeConfig } from '../golden-store.js';

afterAll(removeFolders);

const config = { cleanResourceInterval: 10_000, deleteConsumeQueueFilesInterval: 100 };

function setup() {
  const table = new ConsumeQueueTable(
    storeConfig(newFolder(), { mappedFileSizeConsumeQueue: 400 }),
  );
  for (const id of [0, 1]) {
    const queue = table.findOrCreate('T', id);
    for (let i = 0; i < 50; i++) queue.append(i * 100, 100, 0, 0, i);
  }
  let logMin = 0;
  const expired: number[] = [];
  const index = { deleteExpired: (min: number) => expired.push(min) };
  const service = new CleanConsumeQueueService(table, index, config, () => logMin);
  const files = () => [0, 1].map((id) => table.find('T', id)?.files.files.length);
  const setLogMin = (offset: number) => {
    logMin = offset;
  };
  return { table, service, files, setLogMin, expired };
}

describe('CleanConsumeQueueService', () => {
  it('first looks after a minute, then every ten seconds, and only when the log has moved', () => {
    const made = setup();
    expect(made.service.run(0)).toBe(60_000);
    expect(made.service.run(60_000)).toBe(10_000);
    expect([made.files(), made.expired]).toEqual([[3, 3], []]);
  });

  it('pauses after each queue that lost files, and ends with the index', () => {
    const made = setup();
    made.service.run(0);
    made.setLogMin(2_500);
    expect(made.service.run(60_000)).toBe(100);
    expect([made.files(), made.expired]).toEqual([[2, 3], []]);
    expect(made.service.run(60_100)).toBe(100);
    expect(made.service.run(60_200)).toBe(10_000);
    expect([made.files(), made.expired]).toEqual([[2, 2], [2_500]]);
    expect(made.table.find('T', 0)?.minOffset).toBe(25);
    made.service.run(70_200);
    expect(made.expired).toEqual([2_500]);
  });

  it('takes away queues of which nothing is left, but never the schedule topic', () => {
    const made = setup();
    const delayed = made.table.findOrCreate('SCHEDULE_TOPIC_XXXX', 2);
    delayed.append(0, 100, 0, 0, 0);
    made.table.findOrCreate('empty', 0);
    expect(made.service.cleanExpiredQueues(4_999)).toEqual([]);
    const gone = made.service.cleanExpiredQueues(5_001);
    expect(gone.map(({ topic, queueId }) => `${topic}-${queueId}`)).toEqual(['T-0', 'T-1']);
    expect([...made.table.topics()]).toEqual(['SCHEDULE_TOPIC_XXXX', 'empty']);
  });

  it('knows which topics nobody uses', () => {
    const made = setup();
    for (const topic of ['RMQ_SYS_TRANS_OP_HALF_TOPIC', 'SCHEDULE_TOPIC_XXXX', '%LMQ%a', 'U']) {
      made.table.findOrCreate(topic, 0);
    }
    expect(made.service.unusedTopics(new Set(['T']))).toEqual(['U']);
  });
});
