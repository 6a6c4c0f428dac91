import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  ConsumeQueueExt,
  CqExtUnit,
  extAddressHigh,
  extAddressLow,
  extOffsetOf,
} from '../../../src/store/consumequeue/consume-queue-ext.js';
import { isExtAddress } from '../../../src/store/consumequeue/cq-unit.js';
import { MappedFilePool } from '../../../src/store/consumequeue/queue-file.js';
import { goldenJson } from '../../golden-data.js';
import { newFolder, removeFolders, unpack } from '../golden-store.js';

afterAll(removeFolders);

interface ExtFile {
  readonly size: number;
  readonly used: number;
  readonly units: readonly Record<string, unknown>[];
}

const goldenExt = (
  goldenJson('golden.json') as {
    stores: { sql: { dump: { consumequeue_ext: Record<string, ExtFile> } } };
  }
).stores.sql.dump.consumequeue_ext;

function halves(value: bigint): [number, number] {
  return [Number(value >> 32n), Number(BigInt.asIntN(32, value))];
}

describe('ext addresses', () => {
  it('are byte offsets from Long.MIN_VALUE, as in Java', () => {
    const { ext } = goldenJson<{ ext: Record<string, string | boolean> }>('micro.json');
    for (const [name, expected] of Object.entries(ext)) {
      const number = /-?\d+/.exec(name)?.[0] ?? '';
      if (name.startsWith('decorate')) {
        const [high, low] = halves(BigInt(expected as string));
        const offset = Number(number);
        expect([extAddressHigh(offset), extAddressLow(offset)]).toEqual([high, low]);
        expect(extOffsetOf(high, low)).toBe(offset);
      } else {
        expect([name, isExtAddress(...halves(BigInt(number)))]).toEqual([name, expected]);
      }
    }
  });

  it('are never hashes, not even the least one', () => {
    expect(isExtAddress(...halves(-2_147_483_648n))).toBe(false);
    expect(isExtAddress(0, 0)).toBe(false);
    expect(isExtAddress(0, -1)).toBe(false);
  });
});

describe('the ext stream', () => {
  it('recovers and reads the golden units, and writes them again byte for byte', () => {
    const root = unpack('sql');
    for (const queue of ['GoldenSql/0', 'GoldenLmq/0', 'SCHEDULE_TOPIC_XXXX/0']) {
      const golden = new ConsumeQueueExt(
        join(root, 'consumequeue_ext', queue),
        512,
        new MappedFilePool(),
      );
      golden.load();
      golden.recover();
      const copy = new ConsumeQueueExt(join(newFolder(), 'ext'), 512, new MappedFilePool());
      const unit = new CqExtUnit();
      const files = Object.entries(goldenExt).filter(([name]) => name.startsWith(`${queue}/`));
      const count = files.reduce((sum, [, file]) => sum + file.units.length, 0);
      let offset = 0;
      for (let i = 0; i < count; i++) {
        if (!golden.get(offset, unit)) {
          offset = 512;
          expect(golden.get(offset, unit)).toBe(true);
        }
        const bitMap = unit.bitMap === null ? null : Buffer.from(unit.bitMap);
        expect(copy.put(unit.tagsHigh, unit.tagsLow, unit.msgStoreTime, bitMap)).toBe(offset);
        offset += unit.sizeBytes;
      }
      expect(copy.files.maxOffset).toBe(golden.files.maxOffset);
      for (const [i, file] of copy.files.files.entries()) {
        const same = readFileSync(file.path).equals(
          readFileSync(golden.files.files[i]?.path ?? ''),
        );
        expect([file.path, same]).toEqual([file.path, true]);
      }
      golden.close();
      copy.close();
    }
  });

  it('refuses a unit that is too large, so that the entry takes the plain code', () => {
    const ext = new ConsumeQueueExt(join(newFolder(), 'ext'), 65_536, new MappedFilePool());
    expect(ext.put(0, 1, 2, Buffer.alloc(32_748))).toBe(-1);
    expect(ext.put(0, 1, 2, Buffer.alloc(32_747))).toBe(0);
    ext.close();
  });

  it('is cut behind the last unit that the queue points to', () => {
    const ext = new ConsumeQueueExt(join(newFolder(), 'ext'), 512, new MappedFilePool());
    for (let i = 0; i < 30; i++) ext.put(0, i, i, null);
    const unit = new CqExtUnit();
    ext.truncateAfter(40);
    expect([ext.files.maxOffset, ext.get(40, unit), ext.get(60, unit)]).toEqual([60, true, false]);
    ext.recover();
    expect(ext.files.maxOffset).toBe(60);
    ext.close();
  });

  it('drops files that end before the first unit in use', () => {
    const ext = new ConsumeQueueExt(join(newFolder(), 'ext'), 512, new MappedFilePool());
    for (let i = 0; i < 60; i++) ext.put(0, i, i, null);
    ext.deleteBefore(1_100);
    expect(ext.files.first?.fileFromOffset).toBe(1_024);
    ext.close();
  });
});
