import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  formatProperty,
  parseProperties,
  readPropertiesFile,
  replaceValues,
  updatePropertiesFile,
} from '../../src/base/properties-file.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cometmq-properties-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

test('knows the line of each pair over comments, empty lines and continuations', () => {
  const text = '# head\n\na=1\nb = x \\\n   y\n! note\nc:2\n';
  expect(parseProperties(text)).toEqual([
    { name: 'a', value: '1', line: 3 },
    { name: 'b', value: 'x y', line: 4 },
    { name: 'c', value: '2', line: 7 },
  ]);
});

const awkward = [
  '1s 5s 10s 30s 1m',
  'a=b#c!d:e',
  ' leads and trails ',
  'back\\slash \\u0041 \\\\',
  '广播 é 😀',
  'tab\tline\nreturn\r',
  '',
  '=x',
];

test.each(awkward)('what is written is read back exactly: %j', async (value) => {
  expect(parseProperties(formatProperty('k', value))).toEqual([{ name: 'k', value, line: 1 }]);
  const path = join(dir, 'a.conf');
  await updatePropertiesFile(path, new Map([['k', value]]));
  await updatePropertiesFile(path, new Map([['other', value]]));
  expect(readPropertiesFile(path).map((pair) => pair.value)).toEqual([value, value]);
});

test('ordinary values are written as Java writes them', () => {
  expect(formatProperty('namesrvAddr', 'a:9876;b:9876')).toBe('namesrvAddr=a:9876;b:9876\n');
});

test('replacing a value keeps comments, order and all other lines', () => {
  const text = '# 注释\nfirst = 1\n\nsecond:2 \\\n  more\n! end\nthird=3';
  const values = new Map([
    ['second', 'new'],
    ['fourth', '4'],
  ]);
  expect(replaceValues(text, values)).toBe(
    '# 注释\nfirst = 1\n\nsecond=new\n! end\nthird=3\nfourth=4\n',
  );
});

test('a file in latin1 means the same after it was rewritten', async () => {
  const path = join(dir, 'latin1.conf');
  writeFileSync(path, Buffer.from('# caf\u00e9\nname=caf\u00e9\n', 'latin1'));
  await updatePropertiesFile(path, new Map([['x', '1']]));
  expect(readPropertiesFile(path)[0]).toMatchObject({ name: 'name', value: 'caf\u00e9' });
});

test('comments in UTF-8 stay as they are, byte for byte', async () => {
  const path = join(dir, 'utf8.conf');
  writeFileSync(path, '# 广播\na=1\n');
  await updatePropertiesFile(path, new Map([['a', '2']]));
  expect(readFileSync(path, 'utf8')).toBe('# 广播\na=2\n');
});

test('a file that is not there is an error that names it', () => {
  expect(() => readPropertiesFile(join(dir, 'none.conf'))).toThrow(/none\.conf can not be read/);
});
