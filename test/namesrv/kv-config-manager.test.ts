import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KVConfigManager } from '../../src/namesrv/kv-config-manager.js';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cometmq-kv-'));
  path = join(dir, 'sub', 'kvConfig.json');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function loaded(): KVConfigManager {
  const manager = new KVConfigManager(path);
  manager.load();
  return manager;
}

test('what was put is there after a restart, in the form of Java', async () => {
  const manager = loaded();
  await manager.put('ns', 'k', '值 "x"');
  await manager.put('ns', 'l', '2');
  await manager.delete('ns', 'l');
  expect(readFileSync(path, 'utf8')).toBe('{"configTable":{"ns":{"k":"值 \\"x\\""}}}');
  expect(loaded().get('ns', 'k')).toBe('值 "x"');
  expect(loaded().get('ns', 'l')).toBeNull();
  expect(loaded().namespace('none')).toBeNull();
});

test('changes made at the same time are all kept', async () => {
  const manager = loaded();
  await Promise.all(Array.from({ length: 20 }, (_, i) => manager.put('ns', `k${i}`, `${i}`)));
  expect(loaded().namespace('ns')?.size).toBe(20);
});

test('a damaged file is answered by its backup, and never taken for an empty one', async () => {
  const manager = loaded();
  await manager.put('ns', 'k', '1');
  await manager.put('ns', 'k', '2');
  writeFileSync(path, '{"configTable":{"ns"');
  expect(loaded().get('ns', 'k')).toBe('1');
  writeFileSync(`${path}.bak`, '\0\0\0\0');
  expect(() => loaded()).toThrow(/neither the file nor its backup/);
});

test('what can not be kept is refused and not in the table', async () => {
  const manager = loaded();
  await manager.put('ns', 'k', '1');
  rmSync(join(dir, 'sub'), { recursive: true });
  writeFileSync(join(dir, 'sub'), 'no directory');
  await expect(manager.put('ns', 'k', '2')).rejects.toMatchObject({ code: 'FILE_IO' });
  expect(manager.get('ns', 'k')).toBe('1');
});

test('names of members that JavaScript knows are ordinary keys', async () => {
  const manager = loaded();
  await manager.put('__proto__', 'constructor', '1');
  expect(loaded().get('__proto__', 'constructor')).toBe('1');
});
