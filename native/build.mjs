// Builds native/ into build/Release/cometmq.node, without a download where that is possible:
// the headers that stand beside the node binary are used when there are any. Nothing is built when the
// binary is newer than its sources.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const output = join(root, 'build', 'Release', 'cometmq.node');
const sources = [
  join(root, 'binding.gyp'),
  ...readdirSync(join(root, 'native'))
    .filter((name) => /\.(cc|h)$/.test(name))
    .map((name) => join(root, 'native', name)),
];
const newest = Math.max(...sources.map((f) => statSync(f).mtimeMs));
if (existsSync(output) && statSync(output).mtimeMs > newest) process.exit(0);

const prefix = resolve(process.execPath, '..', '..');
const hasHeaders = existsSync(join(prefix, 'include', 'node', 'node_api.h'));
const nodeGyp = createRequire(import.meta.url).resolve('node-gyp/bin/node-gyp.js');
const args = [
  nodeGyp,
  'rebuild',
  '--loglevel=warn',
  ...(hasHeaders ? [`--nodedir=${prefix}`] : []),
];
const built = spawnSync(process.execPath, args, {
  cwd: root,
  stdio: ['ignore', 'pipe', 'pipe'],
  encoding: 'utf8',
});
if (built.status !== 0) {
  process.stderr.write(
    `${built.stdout}${built.stderr}\nThe addon in native/ did not build; Python 3 and a C++17 compiler are needed.\n`,
  );
  process.exit(1);
}
