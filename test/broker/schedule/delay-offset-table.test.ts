import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { writeFileAtomic } from '../../../src/base/json-file.js';
import { setLogLevel } from '../../../src/base/logger.js';
import { DelayOffsetTable } from '../../../src/broker/schedule/delay-offset-table.js';
import { offsetsOf, testSchedule } from './schedule-store.js';

setLogLevel('silent');

let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'delay-offsets-'));
  path = join(folder, 'delayOffset.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

function loaded(text: string | null, backup: string | null = null): DelayOffsetTable {
  if (text !== null) writeFileSync(path, text);
  if (backup !== null) writeFileSync(`${path}.bak`, backup);
  const table = new DelayOffsetTable(path, () => 0);
  table.load();
  return table;
}

describe('DelayOffsetTable', () => {
  it("reads Java's bare keys, quoted ones, and what it has written", async () => {
    expect([...loaded('{\n\t"offsetTable":{1:4,2:1\n\t}\n}').offsets]).toEqual([
      [1, 4],
      [2, 1],
    ]);
    expect([...loaded('{"offsetTable":{"3":9}}').offsets]).toEqual([[3, 9]]);
    const table = loaded('{"offsetTable":{}}');
    table.set(5, 77, 0);
    table.requestSave();
    await table.saveIfDurable();
    expect([...loaded(null).offsets]).toEqual([[5, 77]]);
  });

  it.each([
    ['half of it', '{"offsetTable":{1:4'],
    ['zeros', '\0\0\0\0'],
    ['another table', '{"other":{}}'],
    ['a text for an offset', '{"offsetTable":{1:"x"}}'],
  ])('takes the backup when the file holds %s, and refuses when that is bad too', (_, text) => {
    expect(loaded(text, '{"offsetTable":{1:3}}').offsets.get(1)).toBe(3);
    expect(() => loaded(text, text)).toThrow(/delayOffset\.json/);
    const table = new DelayOffsetTable(path, () => 0);
    table.load(true);
    expect(table.offsets.size).toBe(0);
  });

  it('starts empty where there is no file', () => {
    expect(loaded(null).offsets.size).toBe(0);
  });

  it('saves nothing before it was loaded, whatever was set', async () => {
    writeFileSync(path, '{"offsetTable":{1:4}}');
    const table = new DelayOffsetTable(path, () => 0);
    table.set(1, 0, 0);
    table.requestSave();
    await table.saveIfDurable();
    expect(offsetsOf(readFileSync(path, 'utf8'))).toEqual({ 1: 4 });
  });

  it('keeps a save that failed for the next time', async () => {
    let fails = true;
    const texts: string[] = [];
    const write = async (_path: string, text: string) => {
      if (fails) throw new Error('no space');
      texts.push(text);
    };
    const table = new DelayOffsetTable(path, () => 1000, write);
    table.load();
    table.set(1, 5, 1000);
    table.requestSave();
    await expect(table.saveIfDurable()).rejects.toThrow('no space');
    fails = false;
    table.requestSave();
    await table.saveIfDurable();
    expect(texts.map(offsetsOf)).toEqual([{ 1: 5 }]);
  });

  it('saves the offsets of the moment that was asked for, not later ones that are not on disk', async () => {
    let flushed = 100;
    const texts: string[] = [];
    const write = async (_path: string, text: string) => void texts.push(text);
    const table = new DelayOffsetTable(path, () => flushed, write);
    table.load();
    table.set(1, 5, 100);
    table.requestSave();
    table.set(1, 6, 200);
    await table.saveIfDurable();
    table.requestSave();
    await table.saveIfDurable();
    expect(texts.map(offsetsOf)).toEqual([{ 1: 5 }]);
    flushed = 200;
    await table.saveIfDurable();
    expect(texts.map(offsetsOf)).toEqual([{ 1: 5 }, { 1: 6 }]);
  });
});

describe('an offset outside of its queue', () => {
  it.each([
    ['beyond the end', 1_000_000, 74],
    ['beyond all numbers', 9_223_372_036_854_775_807n, 74],
    ['before the beginning', 2, 10],
  ])(
    '%s is put right at the start, saved so, and delivery goes on',
    async (_, saved, corrected) => {
      writeFileSync(path, `{"offsetTable":{3:${saved}}}`);
      const { service, store, pass, settle } = testSchedule({
        path,
        levels: '1s 5s 10s',
        writeFile: writeFileAtomic,
      });
      store.minScheduled.set(3, 10);
      const old = store.clock.nowMs() - 60_000;
      for (let i = 0; i < 74; i++) store.schedule(3, 10_000, `old${i}`, { storeTimestamp: old });
      service.load();
      await service.start();
      await settle();
      const onDisk = () => offsetsOf(readFileSync(path, 'utf8'));
      await vi.waitFor(() => expect(onDisk()).toEqual({ 3: corrected }));
      store.all.length = 0;
      store.schedule(3, 10_000, 'new');
      await pass(10_000, 500);
      await service.stopDelivering();
      expect(store.delivered().at(-1)).toBe('new');
    },
  );
});
