import { describe, expect, it } from 'vitest';
import {
  importsOf,
  readDocument,
  readSource,
  resolveImport,
  sourceFiles,
  tableRows,
} from './source-tree.js';

/** What each room may import besides itself (architecture, section 7). */
const ALL_BUT_NAMESRV = [
  'base',
  'message',
  'filter',
  'protocol',
  'native',
  'ring',
  'remoting',
  'store',
  'processor',
  'workers',
];
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  message: ['base'],
  filter: ['base', 'message'],
  protocol: ['base', 'message'],
  native: ['base'],
  ring: ['base'],
  remoting: ['base', 'protocol'],
  store: ['base', 'message', 'filter', 'native', 'ring'],
  processor: ['base', 'message', 'filter', 'protocol', 'store'],
  workers: ['base', 'native', 'ring', 'protocol', 'remoting', 'store', 'processor'],
  namesrv: ['base', 'protocol', 'remoting'],
  broker: ALL_BUT_NAMESRV,
  client: ['base', 'message', 'protocol', 'remoting'],
  cli: ['base', 'protocol', 'namesrv', 'broker', 'client'],
};
/** Only this room knows threads and pools. */
const THREAD_MODULES = new Set(['node:worker_threads', 'piscina']);

const files = sourceFiles('src').map((path) => ({ path, imports: importsOf(readSource(path)) }));

describe('the rooms', () => {
  it('are the ones of the architecture', () => {
    const unknown = files.map(({ path }) => roomOf(path)).filter((room) => !(room in ROOMS));
    expect(unknown).toEqual([]);
  });

  it('may import what src/README.md says', () => {
    const documented = tableRows(readDocument('src/README.md'), 'room');
    const ours = Object.entries(ROOMS).map(([room, may]) => [
      `\`${room}\``,
      may === ALL_BUT_NAMESRV ? 'all above but namesrv' : may.join(', ') || '–',
    ]);
    expect(documented.map(([room, , may]) => [room, may])).toEqual(ours);
  });

  it('import only what they may', () => {
    const broken: string[] = [];
    for (const { path, imports } of files) {
      const room = roomOf(path);
      for (const specifier of imports.filter(isOurs)) {
        const other = roomOf(resolveImport(path, specifier));
        const allowed = other === room || ROOMS[room]?.includes(other);
        if (!allowed) broken.push(`${path} imports ${other}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it('know threads and pools only in workers', () => {
    const broken = files
      .filter(({ path }) => roomOf(path) !== 'workers')
      .filter(({ imports }) => imports.some((specifier) => THREAD_MODULES.has(specifier)))
      .map(({ path }) => path);
    expect(broken).toEqual([]);
  });

  it('import files with their ending', () => {
    const broken = files.flatMap(({ path, imports }) =>
      imports
        .filter((it) => isOurs(it) && !/\.(js|json)$/.test(it))
        .map((it) => `${path} imports ${it}`),
    );
    expect(broken).toEqual([]);
  });

  it('would be seen breaking the rules by this test', () => {
    expect(
      importsOf("import type {\n  A,\n} from '../store/x.js';\nexport { B } from './b.js';"),
    ).toEqual(['../store/x.js', './b.js']);
    expect(importsOf("const x = await import('./lazy.js');")).toEqual(['./lazy.js']);
    expect(roomOf(resolveImport('src/base/a.ts', '../store/commitlog/x.js'))).toBe('store');
  });
});

/** Of this tree; the addon is built elsewhere. */
function isOurs(specifier: string): boolean {
  return specifier.startsWith('.') && !specifier.endsWith('.node');
}

function roomOf(path: string): string {
  return path.split('/')[1] ?? '';
}
