import { expect, test } from 'vitest';
import { defaultStoreConfig } from '../../src/store/store-config.js';
import { storePaths } from '../../src/store/store-paths.js';

test('everything hangs off the root, with Java’s names', () => {
  expect(storePaths(defaultStoreConfig('/s'))).toEqual({
    root: '/s',
    commitLogs: ['/s/commitlog'],
    consumeQueue: '/s/consumequeue',
    consumeQueueExt: '/s/consumequeue_ext',
    index: '/s/index',
    config: '/s/config',
    checkpoint: '/s/checkpoint',
    abort: '/s/abort',
    lock: '/s/lock',
  });
});

test('the log alone may be moved, into one folder or several', () => {
  const config = { ...defaultStoreConfig('/s'), storePathCommitLog: '/a,/b' };
  expect(storePaths(config).commitLogs).toEqual(['/a', '/b']);
  expect(storePaths(config).consumeQueue).toBe('/s/consumequeue');
});
