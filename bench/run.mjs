// The door to the benches: compiles bench/ (Node 20 reads no TypeScript) and hands over to run/main.ts. dist/ must be built;
// `npm run bench` does that first. Usage: npm run bench -- [NAME | all | profile] [options]; without a name it lists what there is.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));
const compiled = spawnSync(process.execPath, [tsc, '-p', 'bench'], {
  cwd: root,
  stdio: 'inherit',
});
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
const { main } = await import('./out/js/run/main.js');
process.exitCode = await main(process.argv.slice(2));
