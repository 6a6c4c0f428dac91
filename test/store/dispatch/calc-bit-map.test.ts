import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BloomFilter } from '../../../src/filter/bloom-filter.js';
import { compileSql92 } from '../../../src/filter/compile-sql92.js';
import {
  type ConsumerFilterData,
  decodeConsumerFilters,
} from '../../../src/filter/consumer-filter-data.js';
import { DEFAULT_DELAY_LEVELS } from '../../../src/message/delay-level-table.js';
import { ConsumeQueueTable } from '../../../src/store/consumequeue/consume-queue-table.js';
import { MappedFilePool } from '../../../src/store/consumequeue/queue-file.js';
import { BuildConsumeQueue } from '../../../src/store/dispatch/build-consume-queue.js';
import { CalcBitMap } from '../../../src/store/dispatch/calc-bit-map.js';
import { DispatchRequest } from '../../../src/store/dispatch/dispatch-request.js';
import { walkLog } from '../../../src/store/recovery/log-walk.js';
import { RecoveryLog } from '../../../src/store/recovery/recovery-log.js';
import { goldenStoreFiles } from '../../golden-data.js';
import { exampleRecord } from '../../support/example-record.js';
import { goldenConfig, removeFolders, unpack } from '../golden-store.js';

afterAll(removeFolders);

const bloomFilter = new BloomFilter(20, 32);

function filter(consumerGroup: string, expression: string): ConsumerFilterData {
  return {
    topic: 'T',
    consumerGroup,
    expression,
    expressionType: 'SQL92',
    bornTime: 1,
    deadTime: 0,
    bloomFilterData: bloomFilter.generate(consumerGroup, 'T'),
    clientVersion: 1,
    compiledExpression: compileSql92(expression),
  };
}

function dispatched(filters: readonly ConsumerFilterData[], properties: string): DispatchRequest {
  const record = exampleRecord({ propertiesText: properties });
  const request = new DispatchRequest({ messageDelayLevel: DEFAULT_DELAY_LEVELS });
  request.read(record, 0, record.length);
  const ofTopic = (topic: string) => (topic === 'T' ? filters : []);
  new CalcBitMap({ bloomFilter, ofTopic }).dispatch(request);
  return request;
}

function bitsOf(...groups: string[]): Uint8Array {
  const bits = new Uint8Array(bloomFilter.bitMapBytes);
  for (const group of groups) {
    for (const bit of bloomFilter.generate(group, 'T').bitPos) {
      bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (1 << (bit & 7));
    }
  }
  return bits;
}

describe('CalcBitMap', () => {
  const filters = [filter('G1', 'a > 5'), filter('G2', "b = 'x'"), filter('G3', 'a > 5')];

  it('sets the bits of exactly the groups whose expressions take the record', () => {
    expect(dispatched(filters, 'a\u00017\u0002').bitMap).toEqual(bitsOf('G1', 'G3'));
    expect(dispatched(filters, 'a\u00011\u0002b\u0001x\u0002').bitMap).toEqual(bitsOf('G2'));
  });

  it('gives a record that nobody takes a bitmap without bits, so that it is skipped', () => {
    expect(dispatched(filters, '').bitMap).toEqual(new Uint8Array(14));
  });

  it('leaves a record of a topic without filters without a bitmap', () => {
    expect(dispatched([], 'a\u00017\u0002').bitMap).toBeNull();
  });
});

describe('the golden store sql', () => {
  it('gets each queue and ext file of Java again, byte for byte, from its log and its filters', () => {
    const root = unpack('sql');
    const golden = goldenStoreFiles('store-sql.tar.gz');
    const text = readFileSync(join(root, 'config/consumerFilter.json'), 'utf8');
    const decoded = decodeConsumerFilters(text, bloomFilter, compileSql92, Date.now());
    if (decoded.kind !== 'loaded') throw new Error(decoded.kind);
    for (const folder of ['consumequeue', 'consumequeue_ext']) {
      rmSync(join(root, folder), { recursive: true });
    }
    const config = goldenConfig('sql', root);
    const table = new ConsumeQueueTable(config, new MappedFilePool(8));
    let nowMs = 0;
    const calc = new CalcBitMap({
      bloomFilter,
      ofTopic: (topic) =>
        [...(decoded.topics.get(topic)?.values() ?? [])].filter(({ bornTime }) => bornTime < nowMs),
    });
    const queues = new BuildConsumeQueue(table, config, null);
    const log = new RecoveryLog(config);
    log.load();
    const options = { checkCrc: true, flushedUpToMs: null };
    walkLog(log, log.minOffset, new DispatchRequest(config), options, (request) => {
      nowMs = request.storeTimestamp;
      calc.dispatch(request);
      queues.dispatch(request);
    });
    log.close();
    table.close();
    const paths = [...golden.keys()].filter((path) => path.startsWith('consumequeue'));
    expect(paths.filter((path) => path.startsWith('consumequeue_ext'))).toHaveLength(4);
    const different = paths.filter((path) => !readFileSync(join(root, path)).equals(file(path)));
    expect(different).toEqual([]);
    function file(path: string): Buffer {
      return golden.get(path) ?? Buffer.alloc(0);
    }
  });
});
