import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isCometError } from '../../../src/base/errors.js';
import { setLogLevel } from '../../../src/base/logger.js';
import { ConsumerOffsetManager } from '../../../src/broker/offset/consumer-offset-manager.js';
import { goldenJson } from '../../golden-data.js';

setLogLevel('silent');

interface Golden {
  stores: Record<string, { dump: { config: Record<string, string> } }>;
}
const GOLDEN =
  goldenJson<Golden>('golden.json').stores['main']?.dump.config['consumerOffset.json'] ?? '';

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

function setUp(files: Record<string, string> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'offsets-'));
  directories.push(directory);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const written: string[] = [];
  const manager = new ConsumerOffsetManager(
    join(directory, 'consumerOffset.json'),
    async (_, text) => {
      written.push(text);
    },
  );
  return { manager, written };
}

const entries = (text: string) =>
  text
    .split(/\n\t\t(?=")/)
    .slice(1)
    .map((it) => it.replace(/[,\s}]*$/, ''))
    .sort();

describe('ConsumerOffsetManager', () => {
  it("loads a Java broker's file and writes each entry back as it was", async () => {
    const { manager, written } = setUp({ 'consumerOffset.json': GOLDEN });
    manager.load();
    expect(manager.query('CG_retry', '%RETRY%CG_retry', 0)).toBe(2);
    await manager.persist();
    expect(entries(written[0] ?? '')).toEqual(entries(GOLDEN));
    expect(written[0]?.startsWith('{\n\t"offsetTable":{\n\t\t"')).toBe(true);
    expect(written[0]?.endsWith('\n\t\t}\n\t}\n}')).toBe(true);
  });

  it('reads quoted queue ids as well', () => {
    const { manager } = setUp({ 'consumerOffset.json': '{"offsetTable":{"T@g":{"0":7,"1":8}}}' });
    manager.load();
    expect([manager.query('g', 'T', 0), manager.query('g', 'T', 1)]).toEqual([7, 8]);
  });

  it('starts empty when there is no file yet, and writes nothing that has not changed', async () => {
    const { manager, written } = setUp();
    manager.load();
    await manager.persistIfDirty();
    expect(written).toEqual([]);
    expect(manager.query('g', 'T', 0)).toBe(-1);
  });

  it.each([
    ['cut in half', GOLDEN.slice(0, GOLDEN.length / 2)],
    ['zeros', '\0'.repeat(100)],
    ['empty', ''],
    ['an old tail after a shorter write', `{"offsetTable":{}}${GOLDEN.slice(20)}`],
    ['a list', '[1,2]'],
    ['another table', '{"topicConfigTable":{}}'],
    ['an offset that is text', '{"offsetTable":{"T@g":{0:"x"}}}'],
  ])(
    'takes the backup of a file that is %s, and never starts empty without the operator',
    (_, text) => {
      const { manager } = setUp({ 'consumerOffset.json': text, 'consumerOffset.json.bak': GOLDEN });
      manager.load();
      expect(manager.query('CG_retry', '%RETRY%CG_retry', 0)).toBe(2);
      const both = { 'consumerOffset.json': text, 'consumerOffset.json.bak': text };
      expect(() => setUp(both).manager.load()).toThrow(
        expect.toSatisfy((error: unknown) => isCometError(error, 'CONFIG_FILE_DAMAGED')),
      );
      expect(() => setUp(both).manager.load(true)).not.toThrow();
    },
  );

  // bugreports.md #35
  it('holds negative offsets and the largest exact one as they are', async () => {
    const { manager, written } = setUp();
    manager.commit('', 'g', 'T', 0, -1);
    manager.commit('', 'g', 'T', 1, -2);
    manager.commit('', 'g', 'T', 2, Number.MAX_SAFE_INTEGER);
    await manager.persist();
    expect(written[0]).toContain('{0:-1,1:-2,2:9007199254740991\n');
  });

  it('keeps an offset of a file beyond the exact numbers beyond every queue', () => {
    const { manager } = setUp({
      'consumerOffset.json': '{"offsetTable":{"T@g":{0:9223372036854775807}}}',
    });
    manager.load();
    expect(manager.query('g', 'T', 0)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('lets an offset go back', () => {
    const { manager } = setUp();
    manager.commit('', 'g', 'T', 0, 10);
    manager.commit('', 'g', 'T', 0, 3);
    expect(manager.query('g', 'T', 0)).toBe(3);
  });

  it('finds groups by topic and topics by group', () => {
    const { manager } = setUp();
    manager.commit('', 'g', 'T', 0, 1);
    manager.commit('', 'g', 'U', 0, 1);
    manager.commit('', 'h', 'T', 0, 1);
    expect(manager.topicsOf('g')).toEqual(['T', 'U']);
    expect(manager.groupsOf('T')).toEqual(['g', 'h']);
  });

  it('gives the lowest offset of each queue over all groups but some, and deletes none of them', () => {
    const { manager } = setUp();
    manager.commit('', 'g', 'T', 0, 5);
    manager.commit('', 'h', 'T', 0, 3);
    manager.commit('', 'h', 'T', 1, 9);
    expect(manager.minOffsets('T', new Set())).toEqual(
      new Map([
        [0, 3],
        [1, 9],
      ]),
    );
    expect(manager.minOffsets('T', new Set(['h']))).toEqual(new Map([[0, 5]]));
    expect(manager.query('h', 'T', 0)).toBe(3);
  });

  it('clones, and removes by group and by topic', () => {
    const { manager } = setUp();
    manager.commit('', 'g', 'T', 0, 5);
    manager.clone('g', 'copy', 'T');
    manager.commit('', 'g', 'T', 0, 6);
    expect(manager.query('copy', 'T', 0)).toBe(5);
    manager.removeGroup('g');
    expect(manager.query('g', 'T', 0)).toBe(-1);
    manager.removeTopic('T');
    expect(manager.topicsOf('copy')).toEqual([]);
  });

  it('saves 100,000 offsets in slices between which the loop turns', async () => {
    const { manager, written } = setUp();
    for (let g = 0; g < 1000; g++) {
      for (let t = 0; t < 25; t++) {
        for (let q = 0; q < 4; q++) manager.commit('', `group_${g}`, `topic_${t}`, q, g);
      }
    }
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await manager.persist();
    clearInterval(timer);
    expect(written[0]?.match(/@group_/g)).toHaveLength(25_000);
    expect(turns).toBeGreaterThan(1);
  });
});
