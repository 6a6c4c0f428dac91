import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadNamesrvConfig } from '../../src/base/config.js';
import { type RunningNamesrv, startNamesrv } from '../../src/namesrv/main.js';
import { encodeRegisterBody } from '../../src/protocol/bodies/register-broker-body.js';
import { decodeTopicRouteData } from '../../src/protocol/bodies/topic-route-data.js';
import { createRequest } from '../../src/protocol/remoting-command.js';
import { RequestCode } from '../../src/protocol/request-code.js';
import { RemotingClient } from '../../src/remoting/remoting-client.js';
import { until } from '../remoting/support.js';

let dir: string;
let namesrv: RunningNamesrv;
let addr: string;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cometmq-ns-'));
  namesrv = await startNamesrv(configAt('0'));
  addr = `127.0.0.1:${namesrv.port}`;
});
afterEach(async () => {
  await namesrv.shutdown();
  rmSync(dir, { recursive: true });
});

function configAt(listenPort: string) {
  const flags = {
    listenPort,
    bindAddress: '127.0.0.1',
    kvConfigPath: join(dir, 'kv.json'),
    configStorePath: join(dir, 'ns.properties'),
  };
  return loadNamesrvConfig({ flags }).config;
}

function registerRequest() {
  const topicConfig = {
    order: false,
    perm: 6,
    readQueueNums: 4,
    topicFilterType: 'SINGLE_TAG' as const,
    topicName: 'T',
    topicSysFlag: 0,
    writeQueueNums: 4,
  };
  const body = encodeRegisterBody(
    { dataVersion: { counter: 1, timestamp: 1 }, topicConfigTable: new Map([['T', topicConfig]]) },
    [],
    true,
  );
  const fields = {
    brokerName: 'a',
    brokerAddr: '127.0.0.1:10911',
    clusterName: 'c',
    haServerAddr: '127.0.0.1:10912',
    brokerId: '0',
    compressed: 'true',
    bodyCrc32: String(body.crc32),
  };
  return createRequest(RequestCode.REGISTER_BROKER, fields, body.bytes);
}

test('a broker that registers is in the route until its connection ends', async () => {
  const broker = new RemotingClient();
  const user = new RemotingClient();
  await broker.invoke(addr, registerRequest(), 3000);
  const routeRequest = () => createRequest(RequestCode.GET_ROUTEINFO_BY_TOPIC, { topic: 'T' });
  const answer = await user.invoke(addr, routeRequest(), 3000);
  expect(decodeTopicRouteData(answer.body).brokerDatas[0]?.brokerAddrs.get(0)).toBe(
    '127.0.0.1:10911',
  );
  broker.close();
  await until('the route to vanish', () => namesrv.controller.routes.allTopics().length === 0);
  const gone = await user.invoke(addr, routeRequest(), 3000);
  expect(gone.code).toBe(17);
  user.close();
});

test('a port that is taken is an error that names it', async () => {
  await expect(startNamesrv(configAt(String(namesrv.port)))).rejects.toThrow(
    new RegExp(`127.0.0.1:${namesrv.port} \\(EADDRINUSE\\)`),
  );
});

test('settings survive a restart', async () => {
  const client = new RemotingClient();
  const put = createRequest(RequestCode.PUT_KV_CONFIG, { namespace: 'n', key: 'k', value: 'v' });
  expect((await client.invoke(addr, put, 3000)).code).toBe(0);
  client.close();
  await namesrv.shutdown();
  namesrv = await startNamesrv(configAt('0'));
  expect(namesrv.controller.kvConfig.get('n', 'k')).toBe('v');
});
