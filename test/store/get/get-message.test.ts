import { afterAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import type { ConsumeQueueTable } from '../../../src/store/consumequeue/consume-queue-table.js';
import { GetMessage, type GetMessageConfig } from '../../../src/store/get/get-message.js';
import type { MessageFilter } from '../../../src/store/get/message-filter.js';
import { RecordGuard } from '../../../src/store/get/record-guard.js';
import { type OpenedStore, openStore } from '../../../src/store/recovery/recover-store.js';
import { RecoveryLog } from '../../../src/store/recovery/recovery-log.js';
import { newFolder, removeFolders } from '../golden-store.js';
import {
  close,
  getConfig,
  LOG_FILE_BYTES,
  message,
  type SmallMessage,
  type StoredMessage,
  smallConfig,
  writeLog,
} from '../small-store.js';

afterAll(removeFolders);

interface Setup {
  readonly opened: OpenedStore;
  readonly table: ConsumeQueueTable;
  readonly log: RecoveryLog;
  readonly stored: StoredMessage[];
  readonly get: GetMessage;
}

function setup(
  messages: readonly SmallMessage[],
  changes: Partial<GetMessageConfig> = {},
  memoryBytes = 2 ** 40,
): Setup {
  const root = newFolder();
  const stored = writeLog(root, messages);
  const opened = openStore(smallConfig(root), new ManualClock());
  const log = new RecoveryLog(smallConfig(root));
  log.load();
  log.endOffset = opened.state.maxOffset;
  const config = { ...getConfig, ...changes };
  const get = new GetMessage(opened.table, log, config, new RecordGuard(), memoryBytes);
  return { opened, table: opened.table, log, stored, get };
}

function pull(
  { get }: Setup,
  offset: number,
  max = 32,
  filter: MessageFilter | null = null,
  takes = (_count: number) => true,
): number[] {
  const offsets: number[] = [];
  get.get('T', 0, offset, max, filter, {
    onRecord: (_buffer, _position, _size, queueOffset) => {
      if (!takes(offsets.length)) return false;
      offsets.push(queueOffset);
      return true;
    },
  });
  return offsets;
}

function end(made: Setup): void {
  made.log.close();
  close(made.opened);
}

function many(count: number, bodyBytes = 100): SmallMessage[] {
  return Array.from({ length: count }, (_, i) => message(i, 'T', 0, bodyBytes));
}

const byTag = (tagsLow: number): MessageFilter => ({
  matchConsumeQueue: (known, _high, low) => !known || low === tagsLow,
  matchCommitLog: () => true,
});

/** "t0", "t1", "t2" as Java hashes them. */
const T0 = 116 * 31 + 48;

describe('GetMessage: where a pull stands', () => {
  const made = setup(many(15));
  afterAll(() => end(made));

  it.each([
    ['NO_MESSAGE_IN_QUEUE', 'other', 7, 0],
    ['OFFSET_OVERFLOW_ONE', 'T', 15, 15],
    ['OFFSET_OVERFLOW_BADLY', 'T', 16, 15],
    ['OFFSET_OVERFLOW_BADLY', 'T', 2 ** 40, 15],
    ['OFFSET_TOO_SMALL', 'T', -1, 0],
  ] as const)('%s for %s at %i', (status, topic, offset, next) => {
    made.get.get(topic, 0, offset, 32, null, { onRecord: () => true });
    expect([made.get.status, made.get.nextBeginOffset]).toEqual([status, next]);
  });

  it('tells a minimum that has risen', () => {
    const queue = made.table.findOrCreate('T', 0);
    queue.minLogicOffset = 5 * 20;
    made.get.get('T', 0, 4, 32, null, { onRecord: () => true });
    expect([made.get.status, made.get.nextBeginOffset]).toEqual(['OFFSET_TOO_SMALL', 5]);
    queue.minLogicOffset = 0;
  });

  it('goes to the next file of the queue when the one asked for is not there', () => {
    const queue = made.table.findOrCreate('T', 0);
    const { locate } = queue;
    queue.locate = () => false;
    made.get.get('T', 0, 4, 32, null, { onRecord: () => true });
    queue.locate = locate;
    expect([made.get.status, made.get.nextBeginOffset]).toEqual(['OFFSET_FOUND_NULL', 20]);
  });

  it('leaves the correction to the master on a slave', () => {
    const slave = setup(many(15), { isSlave: true });
    slave.get.get('T', 0, 99, 32, null, { onRecord: () => true });
    expect([slave.get.status, slave.get.nextBeginOffset]).toEqual(['OFFSET_OVERFLOW_BADLY', 99]);
    end(slave);
  });
});

describe('GetMessage: what a pull takes', () => {
  it('stops at the end of the queue file, whatever was asked for', () => {
    const made = setup(many(45));
    expect(pull(made, 17)).toEqual([17, 18, 19]);
    expect([made.get.status, made.get.nextBeginOffset]).toEqual(['FOUND', 20]);
    expect(pull(made, 20, 5)).toEqual([20, 21, 22, 23, 24]);
    end(made);
  });

  it('hands over the very bytes of the log', () => {
    const made = setup(many(3));
    const bodies: string[] = [];
    made.get.get('T', 0, 0, 32, null, {
      onRecord: (buffer, position) => {
        bodies.push(
          buffer.toString('utf8', position + 88, position + 88 + buffer.readInt32BE(position + 84)),
        );
        expect(buffer).toBe(made.log.buffer);
        return true;
      },
    });
    expect(bodies).toEqual(made.stored.map(({ body }) => body));
    end(made);
  });

  it('takes the first record whatever its size, and no more than the bytes allowed', () => {
    const made = setup(many(6, 2_000), { maxTransferBytesOnMessageInMemory: 5_000 });
    expect(pull(made, 0)).toEqual([0, 1]);
    const tight = setup(many(6, 2_000), { maxTransferBytesOnMessageInMemory: 10 });
    expect(pull(tight, 0)).toEqual([0]);
    end(made);
    end(tight);
  });

  it('takes 8 records or 64 KiB from what counts as on disk', () => {
    const made = setup(many(18), {}, 0);
    expect(pull(made, 0)).toHaveLength(8);
    expect(made.get.suggestPullingFromSlave).toBe(true);
    end(made);
  });

  it('always takes one, also when none or less was asked for', () => {
    const made = setup(many(4));
    expect(pull(made, 0, 0)).toEqual([0]);
    expect(pull(made, 0, -5)).toEqual([0]);
    end(made);
  });

  it('ends before a record that the sink has no room for', () => {
    const made = setup(many(10));
    expect(pull(made, 0, 32, null, (count) => count < 3)).toEqual([0, 1, 2]);
    expect(made.get.nextBeginOffset).toBe(3);
    end(made);
  });
});

describe('GetMessage: filters', () => {
  it('asks the entry first and moves past what does not match', () => {
    const made = setup(many(10));
    expect(pull(made, 0, 32, byTag(T0))).toEqual([0, 3, 6, 9]);
    expect(made.get.nextBeginOffset).toBe(10);
    expect(pull(made, 0, 32, byTag(12_345))).toEqual([]);
    expect([made.get.status, made.get.nextBeginOffset]).toEqual(['NO_MATCHED_MESSAGE', 10]);
    end(made);
  });

  it('asks the record last', () => {
    const made = setup(many(6));
    const filter: MessageFilter = {
      matchConsumeQueue: () => true,
      matchCommitLog: (buffer, position, size) =>
        buffer.subarray(position, position + size).includes('body of T 4'),
    };
    expect(pull(made, 0, 32, filter)).toEqual([4]);
    end(made);
  });
});

describe('GetMessage: records that are gone or damaged', () => {
  it('skips what the log no longer has', () => {
    const made = setup(many(110));
    const second = made.stored.findIndex(({ physicalOffset }) => physicalOffset >= LOG_FILE_BYTES);
    made.log.files.shift();
    const first = second - (second % 20);
    expect(pull(made, first)[0]).toBe(second);
    expect(pull(made, 0)).toEqual([]);
    expect([made.get.status, made.get.nextBeginOffset]).toEqual(['MESSAGE_WAS_REMOVING', 20]);
    end(made);
  });

  it('skips only the one whose entry leads nowhere, and mends the entry', () => {
    const made = setup(many(15));
    const queue = made.table.findOrCreate('T', 0);
    queue.locate(6);
    const right = Buffer.from(queue.buffer.subarray(queue.position, queue.position + 20));
    queue.buffer.writeUInt32BE(0x7fff_0000, queue.position + 4);
    const get = new GetMessage(made.table, made.log, getConfig, new RecordGuard(2 ** 50));
    const healed = { ...made, get };
    expect(pull(healed, 0)).toEqual(Array.from({ length: 15 }, (_, i) => i));
    expect(get.repairedEntries).toBe(1);
    queue.locate(6);
    expect(queue.buffer.subarray(queue.position, queue.position + 20).equals(right)).toBe(true);
    end(made);
  });

  it('does not serve a damaged body, and serves all others', () => {
    const made = setup(many(15));
    const { physicalOffset } = made.stored[6]!;
    made.log.locate(physicalOffset);
    made.log.buffer[made.log.position + 100]! ^= 1;
    const guard = new RecordGuard(2 ** 50);
    const healed = { ...made, get: new GetMessage(made.table, made.log, getConfig, guard) };
    expect(pull(healed, 0)).toEqual([0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14]);
    expect(guard.damagedReads).toBeGreaterThan(0);
    end(made);
  });

  it('does not serve what recovery found damaged, without looking at it again', () => {
    const made = setup(many(15));
    const { physicalOffset, sizeBytes } = made.stored[3]!;
    const holes = [{ from: physicalOffset, to: physicalOffset + sizeBytes }];
    const get = new GetMessage(made.table, made.log, getConfig, new RecordGuard(0, holes));
    expect(pull({ ...made, get }, 2, 3)).toEqual([2, 4, 5]);
    end(made);
  });
});

describe('records that are not in memory', () => {
  const sink = (offsets: number[]) => ({
    onRecord: (_buffer: Buffer, _position: number, _size: number, queueOffset: number) => {
      offsets.push(queueOffset);
      return true;
    },
  });

  it('end a result before the first of them, and are told when they come first', () => {
    const made = setup(many(10));
    const coldFrom = made.stored[4]!.physicalOffset;
    const coldTo = made.stored[6]!.physicalOffset;
    const residency = {
      hotBytes: 0,
      isResident: (offset: number) => offset < coldFrom || offset >= coldTo,
    };
    const offsets: number[] = [];
    made.get.get('T', 0, 0, 32, null, sink(offsets), residency);
    expect(offsets).toEqual([0, 1, 2, 3]);
    expect([made.get.coldOffset, made.get.nextBeginOffset, made.get.status]).toEqual([
      -1,
      4,
      'FOUND',
    ]);
    offsets.length = 0;
    made.get.get('T', 0, 4, 32, null, sink(offsets), residency);
    expect([offsets, made.get.coldOffset]).toEqual([[], coldFrom]);
    made.get.get('T', 0, 4, 32, null, sink(offsets));
    expect([offsets.length, made.get.coldOffset]).toEqual([6, -1]);
    end(made);
  });

  it('are not asked about near the end of the log', () => {
    const made = setup(many(10));
    const residency = { hotBytes: 2 ** 30, isResident: () => expect.unreachable('near the end') };
    const offsets: number[] = [];
    made.get.get('T', 0, 0, 32, null, sink(offsets), residency as never);
    expect(offsets.length).toBe(10);
    end(made);
  });
});
