// Test support: a whole broker inside the test's process, with real sockets and files, on a store of its own.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadBrokerConfig } from '../../src/base/config.js';
import { type RunningBroker, startBroker } from '../../src/broker/main.js';
import { claimPort } from './broker-process.js';

const MACHINE = {
  cpuCount: 2,
  hostName: 'test',
  homeDir: '/nowhere',
  localAddress: '127.0.0.1',
  env: {},
};

export interface TestFolder {
  /** Holds the store's folder and nothing else of the broker's. */
  readonly root: string;
  readonly storeDir: string;
  readonly rocketmqHome: string;
  remove(): void;
}

export function testFolder(aclText = ''): TestFolder {
  const root = mkdtempSync(join(tmpdir(), 'cometmq-broker-'));
  const rocketmqHome = join(root, 'home');
  mkdirSync(join(rocketmqHome, 'conf'), { recursive: true });
  if (aclText !== '') writeFileSync(join(rocketmqHome, 'conf', 'plain_acl.yml'), aclText);
  return {
    root,
    storeDir: join(root, 'a', 'b', 'store'),
    rocketmqHome,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

export async function runBroker(
  folder: TestFolder,
  mode: 'inline' | 'dedicated',
  flags: Record<string, string> = {},
): Promise<RunningBroker> {
  const port = await claimPort();
  const { config } = loadBrokerConfig({
    machine: MACHINE,
    flags: {
      brokerName: 'broker-a',
      brokerIP1: '127.0.0.1',
      listenPort: String(port),
      haListenPort: String(port + 1),
      storePathRootDir: folder.storeDir,
      rocketmqHome: folder.rocketmqHome,
      mappedFileSizeCommitLog: String(16 * 1024 * 1024),
      mappedFileSizeConsumeQueue: '60000',
      maxHashSlotNum: '1000',
      maxIndexNum: '4000',
      ...flags,
    },
  });
  const onFatal = (reason: string) => {
    throw new Error(reason);
  };
  return startBroker(config, { mode, onFatal });
}
