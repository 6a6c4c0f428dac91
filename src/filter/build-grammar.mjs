// Turns src/filter/sql92.peggy into src/filter/sql92.generated.js, the parser of SQL92 filter expressions.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import peggy from 'peggy';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const grammar = join(root, 'src', 'filter', 'sql92.peggy');
if (existsSync(grammar)) {
  const parser = peggy.generate(readFileSync(grammar, 'utf8'), { output: 'source', format: 'es' });
  for (const folder of ['src', 'dist']) {
    mkdirSync(join(root, folder, 'filter'), { recursive: true });
    writeFileSync(join(root, folder, 'filter', 'sql92.generated.js'), parser);
  }
}
