// SQL92 filters: compiling, evaluating over stored properties, and what a bitmap in the queue's ext unit saves.

import { BloomFilter } from '#dist/filter/bloom-filter.js';
import { type CompiledExpression, compileSql92 } from '#dist/filter/compile-sql92.js';
import type { ConsumerFilterData } from '#dist/filter/consumer-filter-data.js';
import { ExpressionCache } from '#dist/filter/expression-cache.js';
import { calcBitMap, isMatchedByBitMap } from '#dist/filter/filter-bit-map.js';
import { PropertyLookup } from '#dist/filter/property-lookup.js';
import { decodeProperties } from '#dist/message/message-properties.js';
import { keep, mustEqual, type Trial, trial } from './harness.js';
import { NOW_MS } from './samples.js';

const MESSAGES = 512;
const REGIONS = ['eu-west', 'eu-north', 'us-east', 'ap-south'];
const SIMPLE = "region = 'eu-west'";
const LONG =
  "(amount > 900 AND region IN ('eu-west', 'eu-north')) OR (kind IS NOT NULL AND amount BETWEEN 10 AND 12)";

await trial('one message put to one expression', async (run) => {
  const texts = Array.from({ length: MESSAGES }, () => propertiesOf(run));
  await compiling(run);
  await evaluating(run, texts);
  await bitmaps(run, texts);
});

function propertiesOf(run: Trial): Buffer {
  const amount = run.prng.nextInt(1000);
  const region = REGIONS[run.prng.nextInt(REGIONS.length)] ?? '';
  const text = `KEYS\u0001order-${amount}\u0002UNIQ_KEY\u00017F0000012D2E18B4AAC20D8C9A8C0000\u0002region\u0001${region}\u0002amount\u0001${amount}\u0002TAGS\u0001TagA`;
  return Buffer.from(run.input(text), 'utf8');
}

async function compiling(run: Trial): Promise<void> {
  const cache = new ExpressionCache();
  const ops = run.scale(50, 1);
  const times = (work: () => unknown) => () => {
    for (let i = 0; i < ops; i++) keep(work());
  };
  await run.group('compile the long expression', [
    { name: 'compileSql92', ops, isBaseline: true, fn: times(() => compileSql92(LONG)) },
    { name: 'ExpressionCache, known', ops, fn: times(() => cache.compile(LONG)) },
  ]);
}

async function evaluating(run: Trial, texts: readonly Buffer[]): Promise<void> {
  const lookup = new PropertyLookup();
  const matches = (compiled: CompiledExpression): number => {
    let count = 0;
    for (const text of texts) {
      if (compiled.evaluate(lookup.reset(text, 0, text.length)) === true) count++;
    }
    return count;
  };
  const byMap = (test: (properties: ReadonlyMap<string, string>) => boolean): number => {
    let count = 0;
    for (const text of texts) if (test(decodeProperties(text.toString('utf8')))) count++;
    return count;
  };
  const simple = compileSql92(SIMPLE);
  const long = compileSql92(LONG);
  const simpleByMap = () => byMap((it) => it.get('region') === 'eu-west');
  const longByMap = () =>
    byMap((it) => {
      const amount = Number(it.get('amount'));
      const region = it.get('region') ?? '';
      const isBig = amount > 900 && (region === 'eu-west' || region === 'eu-north');
      return isBig || (it.has('kind') && amount >= 10 && amount <= 12);
    });
  mustEqual('matches', [matches(simple), matches(long)], [simpleByMap(), longByMap()]);
  const ops = texts.length;
  await run.group(SIMPLE, [
    {
      name: 'a Map of the properties and a function by hand',
      ops,
      isBaseline: true,
      fn: simpleByMap,
    },
    { name: 'compiled, over the stored bytes', ops, fn: () => keep(matches(simple)) },
  ]);
  await run.group('the long expression', [
    {
      name: 'a Map of the properties and a function by hand',
      ops,
      isBaseline: true,
      fn: longByMap,
    },
    { name: 'compiled, over the stored bytes', ops, fn: () => keep(matches(long)) },
  ]);
}

/** As a pull meets them: with a bitmap the record is opened only on a hit. */
async function bitmaps(run: Trial, texts: readonly Buffer[]): Promise<void> {
  const bloom = new BloomFilter(20, 32);
  const filter = filterData(bloom, LONG);
  const lookup = new PropertyLookup();
  const units = texts.map((text) => {
    const unit = Buffer.alloc(bloom.bitMapBytes);
    calcBitMap([filter], lookup.reset(text, 0, text.length), bloom, unit);
    return unit;
  });
  const evaluate = (text: Buffer): boolean =>
    filter.compiledExpression?.evaluate(lookup.reset(text, 0, text.length)) === true;
  const without = (): number => texts.filter(evaluate).length;
  const withBitmap = (): number => {
    let count = 0;
    for (let i = 0; i < texts.length; i++) {
      const unit = units[i] as Buffer;
      if (!isMatchedByBitMap(filter, bloom, NOW_MS, unit, 0, unit.length)) continue;
      if (evaluate(texts[i] as Buffer)) count++;
    }
    return count;
  };
  mustEqual('matches', withBitmap(), without());
  const ops = texts.length;
  const unit = Buffer.alloc(bloom.bitMapBytes);
  await run.group('the long expression in a pull', [
    { name: 'without a bitmap', ops, isBaseline: true, fn: () => keep(without()) },
    { name: 'with the bitmap of its unit', ops, fn: () => keep(withBitmap()) },
    {
      name: 'making the bitmap when dispatched',
      ops,
      fn: () => {
        for (const text of texts)
          calcBitMap([filter], lookup.reset(text, 0, text.length), bloom, unit);
      },
    },
  ]);
}

function filterData(bloom: BloomFilter, expression: string): ConsumerFilterData {
  return {
    topic: 'T',
    consumerGroup: 'G',
    expression,
    expressionType: 'SQL92',
    bornTime: NOW_MS - 1,
    deadTime: 0,
    bloomFilterData: bloom.generate('G', 'T'),
    clientVersion: 1,
    compiledExpression: compileSql92(expression),
  };
}
