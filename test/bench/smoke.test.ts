// Runs every bench in its smoke size, so that none can rot. The figures of such a run mean nothing and are not looked at. The tree
// must be built (npm test does that): benches measure dist/.

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const RUN = 'bench/run.mjs';
const SMOKE_TIMEOUT_MS = 120_000;
const names = readdirSync('bench')
  .filter((file) => file.endsWith('.bench.ts'))
  .map((file) => file.slice(0, -'.bench.ts'.length));
const features = names.filter((name) => /^9[2-8]/.test(name));
const whole = names.filter((name) => name.startsWith('9') && !features.includes(name));
const folder = mkdtempSync(join(tmpdir(), 'cometmq-bench-smoke-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [RUN, ...args],
      { env: { ...process.env, BENCH_DIR: folder }, timeout: SMOKE_TIMEOUT_MS },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : Number(error.code ?? 1);
        resolve({ code, output: stdout + stderr });
      },
    );
  });
}

describe('the benches', () => {
  it('are listed with what they measure when none is named', async () => {
    const { code, output } = await run();
    expect(code).toBe(0);
    const silent = names.filter((name) => !new RegExp(`^ {2}${name} +\\S`, 'm').test(output));
    expect(silent).toEqual([]);
  });

  it('refuse a name that none has', async () => {
    const { code, output } = await run('77-nothing');
    expect(code).toBe(2);
    expect(output).toContain('No bench is called 77-nothing');
  });

  it(
    'of the pieces run in their smoke size, each beside a baseline',
    async () => {
      const pieces = names.filter((name) => !name.startsWith('9'));
      const { code, output } = await run(pieces.join(','), '--smoke');
      expect(code, output).toBe(0);
      for (const name of pieces) {
        const [, part = ''] = output.split(`\n${name}: `);
        expect(part.split(/\n\d\d-[a-z]/)[0], name).toContain('baseline\n');
      }
    },
    SMOKE_TIMEOUT_MS,
  );

  // Both at once, since most of their time goes to starting brokers. What runs before them has compiled them.
  it.concurrent(
    'of a whole broker run in their smoke size and draw a picture that needs nothing else',
    async ({ expect: expectThat }) => {
      for (const name of whole) {
        const html = join(folder, `${name}.html`);
        const json = join(folder, `${name}.json`);
        const { code, output } = await run(name, '--smoke', '--html', html, '--json', json);
        expectThat(code, output).toBe(0);
        const { results } = JSON.parse(readFileSync(json, 'utf8'));
        const rates = results.map((it: Record<string, { rate: number }>) => it['cometmq']?.rate);
        expectThat(Math.min(...rates), output).toBeGreaterThan(0);
        const page = readFileSync(html, 'utf8');
        expectThat(page).toContain('<svg');
        expectThat(page).not.toMatch(/(?:src|href)="|url\(|@import/);
      }
    },
    SMOKE_TIMEOUT_MS,
  );

  for (const name of features) {
    it.concurrent(
      `of a feature run in their smoke size: ${name}`,
      async ({ expect: expectThat }) => {
        const json = join(folder, `${name}.json`);
        const { code, output } = await run(name, '--smoke', '--json', json);
        expectThat(code, output).toBe(0);
        const { figures, results } = JSON.parse(readFileSync(json, 'utf8'));
        for (const { broker, rounds } of results) {
          expectThat(broker).toBe('cometmq');
          expectThat(rounds).toHaveLength(figures.length);
          expectThat(rounds[0][0], output).toBeGreaterThan(0);
        }
      },
      SMOKE_TIMEOUT_MS,
    );
  }

  it(
    'profile the threads of a broker under load',
    async () => {
      const { code, output } = await run('profile', '--smoke');
      expect(code, output).toBe(0);
      for (const thread of ['main', 'commitlog', 'dispatch', 'flush', 'ha']) {
        expect(output).toMatch(new RegExp(`^${thread}: awake`, 'm'));
      }
    },
    SMOKE_TIMEOUT_MS,
  );
});
