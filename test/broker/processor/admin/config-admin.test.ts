import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loadBrokerConfig } from '../../../../src/base/config.js';
import { setLogLevel } from '../../../../src/base/logger.js';
import { testBroker } from '../../fakes.js';

setLogLevel('silent');

const UPDATE = 25;
const GET = 26;

const directories: string[] = [];
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

describe('UPDATE_BROKER_CONFIG', () => {
  it('changes what may change at once, and GET_BROKER_CONFIG reads it back', async () => {
    const { ask, config } = testBroker();
    expect((await ask(UPDATE, null, { body: 'flushConsumerOffsetInterval=7000\n' }))?.code).toBe(0);
    expect(config.flushConsumerOffsetInterval).toBe(7000);
    const answer = await ask(GET);
    expect(String(answer?.body)).toContain('flushConsumerOffsetInterval=7000\n');
    expect(JSON.parse(answer?.extFields?.['version'] ?? '')).toMatchObject({ counter: 0 });
  });

  // bugreports.md #27
  it('keeps a value with spaces whole, in the file and after a restart', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'conf-'));
    directories.push(directory);
    const file = join(directory, 'broker.conf');
    writeFileSync(file, '# kept\nbrokerName=b\n');
    const { ask } = testBroker({}, { configFile: file });
    const answer = await ask(UPDATE, null, { body: 'messageDelayLevel=1s 5s 10s\n' });
    expect(answer?.code).toBe(0);
    expect(answer?.remark).toContain('messageDelayLevel');
    expect(String((await ask(GET))?.body)).toContain('messageDelayLevel=1s 5s 10s\n');
    expect(readFileSync(file, 'utf8')).toContain('# kept\n');
    expect(loadBrokerConfig({ file }).config.messageDelayLevel).toBe('1s 5s 10s');
  });

  it.each([
    'rocketmqHome=/tmp/x',
    'storePathRootDir=/tmp/x',
    'listenPort=1',
    'brokerRole=SLAVE',
    'aclEnable=false\nrocketmqHome=$(id)',
    'filterServerNums=3',
  ])('refuses %j whole', async (body) => {
    const { ask, config } = testBroker();
    const before = { ...config };
    const answer = await ask(UPDATE, null, { body });
    expect([1, 16]).toContain(answer?.code);
    expect(config).toEqual(before);
  });

  it('registers all topics anew and tells the workers when brokerPermission changes', async () => {
    const { ask, controller, namesrvs, publisher } = testBroker();
    await ask(UPDATE, null, { body: 'brokerPermission=4\n' });
    expect(publisher.permission).toBe(4);
    expect(controller.context.topics.dataVersion.counter).toBe(1);
    await new Promise<void>((resolve) => setImmediate(resolve));
    const [registered] = namesrvs.requests;
    expect(String(registered?.command.body)).toContain('"perm":4');
    expect(String(registered?.command.body)).not.toContain('"perm":6');
  });
});
