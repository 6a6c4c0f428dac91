import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { functionsOf, ROOT, readSource, sourceFiles } from './source-tree.js';

const MAX_LINES = 400;
const MAX_FUNCTION_LINES = 70;
/** Tests of more than one file: they mirror a room, not a file. */
const TESTS_OF_MANY = [
  'test/tidy/',
  'test/bench/',
  'test/ha/',
  'test/interop/',
  'test/reliability/',
  'test/simulation/',
  'test/broker/golden-admin.test.ts',
  'test/store/dispatch/derive-golden.test.ts',
  'test/store/recovery/bit-flips.test.ts',
  'test/store/recovery/file-states.test.ts',
  'test/store/recovery/recovery-variants.test.ts',
];

const sources = sourceFiles('src');
const tests = sourceFiles('test');
const others = ['native', 'bench', 'test'].flatMap((folder) =>
  sourceFiles(folder, folder === 'bench' ? /\.(ts|mjs)$/ : /\.(cc|h|mjs|peggy)$/),
);
const all = [...sources, ...tests];

describe('files', () => {
  it(`have at most ${MAX_LINES} lines`, () => {
    const long = [...all, ...others]
      .map((path) => ({ path, lines: readSource(path).trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > MAX_LINES)
      .map(({ path, lines }) => `${path}: ${lines}`);
    expect(long).toEqual([]);
  });

  it(`have functions of at most ${MAX_FUNCTION_LINES} lines`, () => {
    const long = sources.flatMap((path) =>
      functionsOf(readSource(path))
        .filter(({ lineCount }) => lineCount > MAX_FUNCTION_LINES)
        .map(({ name, lineCount }) => `${path} ${name}: ${lineCount}`),
    );
    expect(long).toEqual([]);
  });

  it('have functions that this test can see', () => {
    const text = [
      'export async function one(): void {\n  x();\n}',
      'class A {\n  async #two(\n    a: B,\n  ): C {\n    x();\n  }\n\n  three() {\n    y();\n  }\n}',
      'const four = (a: B) => {\n  x();\n};\n',
    ].join('\n');
    expect(functionsOf(text)).toEqual([
      { name: 'one', lineCount: 3 },
      { name: '#two', lineCount: 5 },
      { name: 'three', lineCount: 3 },
      { name: 'four', lineCount: 3 },
    ]);
  });

  it('have names in kebab-case', () => {
    const odd = all.filter(
      (path) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.bench|\.d)?\.ts$/.test(basename(path)),
    );
    expect(odd).toEqual([]);
  });

  it('open with the room that they belong to', () => {
    const silent = sources.filter((path) => {
      const room = path.split('/')[1] ?? '';
      const text = readSource(path).replace(/^#!.*\n/, '');
      return !text.startsWith(`// Room: ${room}`);
    });
    expect(silent).toEqual([]);
  });

  it('hold no note of what is still to be done', () => {
    const words = new RegExp(
      `\\b(${['TO', 'FIX', 'XX', 'HA'].map((it, i) => it + ['DO', 'ME', 'X', 'CK'][i]).join('|')})\\b`,
    );
    expect([...all, ...others].filter((path) => words.test(readSource(path)))).toEqual([]);
  });

  it('have no default exports and export no whole modules', () => {
    const broken = sources.filter((path) => /^export (default|\*)/m.test(readSource(path)));
    expect(broken).toEqual([]);
  });

  it('are hot and say so in their header when they leave out checks for undefined', () => {
    const broken = sources.filter((path) => {
      const text = readSource(path);
      const header = text.slice(0, text.search(/^(?!\/\/)/m));
      return (
        /[\w)\]]!(?:[.;,)\][ ]|$)(?!=)/m.test(withoutComments(text)) && !/`!`|\bhot\b/i.test(header)
      );
    });
    expect(broken).toEqual([]);
  });
});

describe('tests', () => {
  it('mirror a source file each', () => {
    const alone = tests
      .filter((path) => path.endsWith('.test.ts'))
      .filter((path) => !TESTS_OF_MANY.some((folder) => path.startsWith(folder)))
      .filter((path) => {
        const source = path.replace(/^test/, 'src').replace(/\.test\.ts$/, '.ts');
        return !existsSync(join(ROOT, source));
      });
    expect(alone).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '')
    .replace(/'[^'\n]*'|`[^`]*`/g, "''");
}
