import { describe, expect, it } from 'vitest';
import { javaHashCode } from '../../src/base/java-hash.js';
import { BloomFilter } from '../../src/filter/bloom-filter.js';
import { compileSql92 } from '../../src/filter/compile-sql92.js';
import type { ConsumerFilterData } from '../../src/filter/consumer-filter-data.js';
import {
  ExpressionFilter,
  parseTags,
  RegisteredFilter,
  RetryFilter,
  SubscriptionFilters,
  TagFilter,
} from '../../src/processor/pull-filter.js';
import { CqExtUnit } from '../../src/store/consumequeue/consume-queue-ext.js';
import type { MessageFilter } from '../../src/store/get/message-filter.js';
import { exampleRecord, propertiesOf } from '../support/example-record.js';

const BORN_MS = 1000;
const bloomFilter = new BloomFilter(20, 32);

function data(expression: string | null, over: Partial<ConsumerFilterData> = {}) {
  return {
    topic: 'T',
    consumerGroup: 'G',
    expression: expression ?? '',
    expressionType: 'SQL92',
    bornTime: BORN_MS,
    deadTime: 0,
    bloomFilterData: bloomFilter.generate('G', 'T'),
    clientVersion: 1,
    compiledExpression: expression === null ? null : compileSql92(expression),
    ...over,
  };
}

function matches(filter: MessageFilter, properties: Record<string, string>): boolean {
  const record = exampleRecord({ propertiesText: propertiesOf(properties) });
  const buffer = Buffer.concat([Buffer.alloc(3), record, Buffer.alloc(3)]);
  return filter.matchCommitLog(buffer, 3, record.length);
}

function unit(msgStoreTime: number, bitMap: Buffer | null): CqExtUnit {
  return Object.assign(new CqExtUnit(), { msgStoreTime, bitMap });
}

describe('TagFilter', () => {
  it('takes tags of any length by their 32 signed bits, as Java hashes them', () => {
    const tags = ['A', 'TagABC', 'TagABCD', 'x'.repeat(40), '标签', '🚀🚀', 'polygenelubricants'];
    const filter = new TagFilter(parseTags(` ${tags.join(' || ')}||`));
    for (const tag of tags) {
      const hash = javaHashCode(tag);
      expect(filter.matchConsumeQueue(true, hash < 0 ? -1 : 0, hash)).toBe(true);
    }
    expect(filter.matchConsumeQueue(true, 0, javaHashCode('B'))).toBe(false);
    expect(filter.matchConsumeQueue(false, 0, javaHashCode('B'))).toBe(true);
  });

  it('is not made for subscriptions to everything', () => {
    expect(['*', ' * ', '', null].map(parseTags)).toEqual([[], [], [], []]);
  });
});

describe('ExpressionFilter', () => {
  it('takes a record only when the expression is true of its properties', () => {
    const filter = new ExpressionFilter(compileSql92("a > 5 AND city = '上海'"));
    expect(matches(filter, { a: '6', city: '上海' })).toBe(true);
    expect(matches(filter, { a: '5', city: '上海' })).toBe(false);
    expect(matches(filter, { city: '上海' })).toBe(false);
    expect(matches(filter, { a: 'six', city: '上海' })).toBe(false);
    expect(matches(filter, {})).toBe(false);
  });

  it('lets every entry pass: nobody has set bits for it', () => {
    const filter = new ExpressionFilter(compileSql92('a > 5'));
    expect(filter.matchConsumeQueue()).toBe(true);
  });
});

describe('RegisteredFilter', () => {
  const filter = new RegisteredFilter(data('a > 5'), bloomFilter);
  const none = Buffer.alloc(bloomFilter.bitMapBytes);
  const all = Buffer.alloc(bloomFilter.bitMapBytes, 0xff);
  const passes = (it: CqExtUnit | null) => filter.matchConsumeQueue(true, 0, 0, it);

  it('skips an entry whose bitmap knew the filter and has not its bits', () => {
    expect(passes(unit(BORN_MS + 1, none))).toBe(false);
    expect(passes(unit(BORN_MS + 1, all))).toBe(true);
  });

  it('reads the record when the message is as old as the filter, or without a bitmap of its size', () => {
    expect(passes(unit(BORN_MS, none))).toBe(true);
    expect(passes(unit(BORN_MS + 1, null))).toBe(true);
    expect(passes(unit(BORN_MS + 1, none.subarray(1)))).toBe(true);
    expect(passes(null)).toBe(true);
  });

  it('puts the record to the expression whatever the bits say', () => {
    expect(matches(filter, { a: '6' })).toBe(true);
    expect(matches(filter, { a: '4' })).toBe(false);
  });
});

describe('RetryFilter', () => {
  const registered = new Map([
    ['T', data('a > 5')],
    ['Broken', data(null)],
  ]);
  const filters = {
    get: (topic: string, group: string) => (group === 'G' ? registered.get(topic) : undefined),
  };

  it('puts a retried message to what its group asks of the topic that it came from', () => {
    const filter = new RetryFilter('%RETRY%G', null, filters);
    expect(matches(filter, { RETRY_TOPIC: 'T', a: '6' })).toBe(true);
    expect(matches(filter, { RETRY_TOPIC: 'T', a: '4' })).toBe(false);
  });

  it('lets pass what no expression is known for', () => {
    const filter = new RetryFilter('%RETRY%G', null, filters);
    expect(matches(filter, { RETRY_TOPIC: 'Other', a: '4' })).toBe(true);
    expect(matches(filter, { RETRY_TOPIC: 'Broken', a: '4' })).toBe(true);
    expect(matches(filter, { a: '4' })).toBe(true);
    const other = new RetryFilter('%RETRY%H', null, filters);
    expect(matches(other, { RETRY_TOPIC: 'T', a: '4' })).toBe(true);
  });

  it('asks the entry as the retry topic is subscribed', () => {
    expect(new RetryFilter('%RETRY%G', null, filters).matchConsumeQueue(true, 0, 7, null)).toBe(
      true,
    );
    const tags = new RetryFilter('%RETRY%G', new TagFilter([42]), filters);
    expect(tags.matchConsumeQueue(true, 0, 7, null)).toBe(false);
    expect(tags.matchConsumeQueue(true, 0, 42, null)).toBe(true);
  });
});

describe('SubscriptionFilters', () => {
  const made = new SubscriptionFilters(bloomFilter);
  const tags = { topic: 'T', subString: 'A', codeSet: [65], subVersion: 1, expressionType: 'TAG' };

  it('makes one filter of each row', () => {
    expect(made.byTags(tags)).toBe(made.byTags(tags));
    expect(made.byTags({ ...tags })).not.toBe(made.byTags(tags));
    const row = data('a > 5');
    expect(made.registered(row)).toBe(made.registered(row));
    expect(made.registered({ ...row })).not.toBe(made.registered(row));
    const expression = compileSql92('a > 5');
    expect(made.brought(expression)).toBe(made.brought(expression));
  });

  it('lets everything pass for a star whatever codes are with it, and in class filter mode', () => {
    expect(made.byTags({ ...tags, subString: '*' })).toBeNull();
    expect(made.byTags({ ...tags, classFilterMode: true })).toBeNull();
    expect(made.byTags(tags)).not.toBeNull();
  });

  it('lets nothing pass for tags whose codes the client left out, as Java does', () => {
    const filter = made.byTags({ ...tags, codeSet: [] });
    expect(filter?.matchConsumeQueue(true, 0, 65, null)).toBe(false);
  });
});
