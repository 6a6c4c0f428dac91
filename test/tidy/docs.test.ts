import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { brokerSchema, differingDefaults, namesrvSchema } from '../../src/base/config-schema.js';
import { ExitCode } from '../../src/cli/exit-code.js';
import { StoreCursor } from '../../src/store/store-cursors.js';
import { ROOT, readDocument, sourceFiles, tableRows } from './source-tree.js';

const readme = readDocument('README.md');
const house = readDocument('src/README.md');
const packageJson = JSON.parse(readDocument('package.json')) as {
  scripts: Record<string, string>;
  engines: { node: string };
  version: string;
};

describe('src/README.md', () => {
  it('lists the cursors that there are', () => {
    const listed = tableRows(house, 'cursor').map(([name]) => name);
    expect(listed.sort()).toEqual(
      Object.keys(StoreCursor)
        .map((name) => `\`${name}\``)
        .sort(),
    );
  });

  it('agrees with the table in store-cursors.ts on owner and readers', () => {
    const header = readDocument('src/store/store-cursors.ts');
    for (const [name = '', owner = '', readers = ''] of tableRows(house, 'cursor')) {
      const line = header.split('\n').find((it) => it.includes(` ${name.replaceAll('`', '')} `));
      const [ownerThere, readersThere] = (line ?? '').split(/ {2,}/).slice(2);
      expect([name, ownerThere?.replace(' worker', ''), readersThere]).toEqual([
        name,
        owner,
        readers,
      ]);
    }
  });

  it('names files that exist', () => {
    expect(missingFiles(house)).toEqual([]);
  });
});

describe('README.md', () => {
  it('names files that exist', () => {
    expect(missingFiles(readme)).toEqual([]);
  });

  it('names npm scripts that exist', () => {
    const named = [...readme.matchAll(/npm (?:run )?([a-z][\w:-]*)/g)].map(([, name]) => name);
    const known = [...Object.keys(packageJson.scripts), 'ci', 'registry'];
    expect(named.filter((name) => !known.includes(name ?? ''))).toEqual([]);
  });

  it('says which properties of the servers have another default than in Java', () => {
    const listed = tableRows(readme, 'default that differs').map(([name = '', where]) => [
      name.replaceAll('`', ''),
      where,
    ]);
    const everywhere = listed.filter(([, where]) => where !== '`start`').map(([name]) => name);
    const differing = [...differingDefaults(brokerSchema), ...differingDefaults(namesrvSchema)];
    expect(new Set(everywhere)).toEqual(new Set(differing));
  });

  it('lists the exit codes', () => {
    const listed = tableRows(readme, 'exit code').map(([code]) => Number(code));
    const { SIGNAL_BASE, ...codes } = ExitCode;
    expect(listed).toEqual(
      expect.arrayContaining([...Object.values(codes), SIGNAL_BASE + 2, SIGNAL_BASE + 15]),
    );
  });

  it('asks for the Node that package.json asks for', () => {
    const [, lowest] = /(\d+\.\d+)/.exec(packageJson.engines.node) ?? [];
    expect(readme).toContain(`Node ${lowest}`);
  });
});

describe('CHANGELOG.md', () => {
  it('has an entry for what comes next', () => {
    expect(readDocument('CHANGELOG.md')).toMatch(/^## \[?Unreleased\]?$/m);
  });
});

describe('package-lock.json', () => {
  it('names no registry', () => {
    expect(readDocument('package-lock.json')).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/);
  });

  it('and package.json agree', () => {
    const lock = JSON.parse(readDocument('package-lock.json')) as {
      packages: Record<string, { version: string; engines: unknown; dependencies: unknown }>;
    };
    expect(lock.packages['']).toMatchObject({
      version: packageJson.version,
      engines: packageJson.engines,
    });
  });
});

/** Code spans that look like paths of this tree, whole or from a folder of `src` on, and are none. */
function missingFiles(markdown: string): string[] {
  const sources = sourceFiles('src');
  const spans = [...markdown.matchAll(/`([\w./-]+)`/g)].map(([, span = '']) => span);
  return spans.filter((span) => {
    if (/^(src|test|bench|native|scripts|\.ci)\//.test(span)) return !existsSync(join(ROOT, span));
    return /^[a-z][\w/-]*\.ts$/.test(span) && !sources.some((path) => path.endsWith(`/${span}`));
  });
}
