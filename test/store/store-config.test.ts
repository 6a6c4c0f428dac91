import { expect, test } from 'vitest';
import { loadBrokerConfig } from '../../src/base/config.js';
import { messageStoreProperties } from '../../src/base/config-schema-store.js';
import { defaultStoreConfig, storeConfigOf } from '../../src/store/store-config.js';

test('has every property of MessageStoreConfig, with the values of the broker’s configuration', () => {
  const { config } = loadBrokerConfig({
    flags: {
      storePathRootDir: '/data',
      brokerIP1: '10.1.2.3',
      listenPort: '10921',
      flushDiskType: 'SYNC_FLUSH',
      maxMessageSize: '1000',
    },
  });
  const store = storeConfigOf(config);
  for (const name of Object.keys(messageStoreProperties)) expect(store).toHaveProperty([name]);
  expect(store.storePathRootDir).toBe('/data');
  expect(store.flushDiskType).toBe('SYNC_FLUSH');
  expect(store.maxMessageSize).toBe(1000);
  expect([...store.storeHostAddress]).toEqual([10, 1, 2, 3]);
  expect(store.storeHostPort).toBe(10_921);
});

test('a file of a queue holds whole entries', () => {
  const { config } = loadBrokerConfig({ flags: { mappedFileSizeConsumeQueue: '101' } });
  expect(storeConfigOf(config).mappedFileSizeConsumeQueue).toBe(120);
});

test('crosses to a thread unchanged', () => {
  const store = defaultStoreConfig('/data');
  expect(structuredClone(store)).toEqual(store);
  expect(store.storePathRootDir).toBe('/data');
  expect(store.mappedFileSizeCommitLog).toBe(1_073_741_824);
});
