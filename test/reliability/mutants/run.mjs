// Proves that a test can fail: applies a mutant of this folder to a copy of the project, builds it, and runs the test that must turn red.
//
//   node test/reliability/mutants/run.mjs r1-drop-last-record [more…]     all of them without a name
//
// Exit status 0 when every test named by its mutant's first letters was red, 1 when one stayed green. Sizes are those of CI unless the
// environment says otherwise. COMETMQ_MUTANT_SOURCE names another copy of the project to mutate. The copy is made in the system's temporary folder and removed.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(process.env['COMETMQ_MUTANT_SOURCE'] ?? join(here, '../../..'));
const COPIED = ['src', 'test', 'native', 'build', 'binding.gyp', 'package.json', 'tsconfig.json'];

function run(cwd, command, args, input) {
  const env = { ...process.env, COMETMQ_BROKER_MAIN: undefined };
  return spawnSync(command, args, { cwd, input, env, encoding: 'utf8' });
}

function mustRun(cwd, command, args, input) {
  const done = run(cwd, command, args, input);
  if (done.status !== 0) throw new Error(`${command} failed:\n${done.stdout}${done.stderr}`);
}

/** True when the test was red. */
function isKilled(name) {
  const patch = readFileSync(join(here, `${name}.patch`), 'utf8');
  const copy = mkdtempSync(join(tmpdir(), 'cometmq-mutant-'));
  try {
    for (const path of COPIED) {
      cpSync(join(root, path), join(copy, path), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    mustRun(copy, 'patch', ['-p1', '--no-backup-if-mismatch'], patch);
    mustRun(copy, 'node', ['src/filter/build-grammar.mjs']);
    // What a mutant leaves unused is no error here.
    const lenient = ['--noUnusedLocals', 'false', '--noUnusedParameters', 'false'];
    mustRun(copy, 'node_modules/.bin/tsc', ['-p', 'src', ...lenient]);
    const test = `test/reliability/${name.split('-')[0]}-`;
    const config = ['-c', 'test/reliability/vitest-config.ts'];
    const done = run(copy, 'node_modules/.bin/vitest', ['run', ...config, test]);
    const text = done.stdout + done.stderr;
    const reasons = text.match(/(L\d[^"\n]*:|the log ends|AssertionError).*/g) ?? [];
    if (done.status !== 0 && reasons.length === 0)
      throw new Error(`${name} failed oddly:\n${text}`);
    process.stdout.write(`${done.status === 0 ? 'GREEN' : 'red'}  ${name}\n`);
    for (const reason of reasons.slice(0, 2)) process.stdout.write(`     ${reason.trim()}\n`);
    return done.status !== 0;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

const wanted = process.argv.slice(2);
const all = readdirSync(here)
  .filter((file) => file.endsWith('.patch'))
  .map((file) => file.slice(0, -'.patch'.length));
const survivors = (wanted.length > 0 ? wanted : all).filter((name) => !isKilled(name));
process.exitCode = survivors.length > 0 ? 1 : 0;
