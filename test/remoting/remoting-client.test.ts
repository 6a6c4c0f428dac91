import { createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createRequest, createResponse } from '../../src/protocol/remoting-command.js';
import { RemotingClient } from '../../src/remoting/remoting-client.js';
import { RequestDispatcher } from '../../src/remoting/request-dispatcher.js';
import { ECHO, type EchoServer, FAIL, startEcho, tlsDefaults, until } from './support.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function echo(options = {}): Promise<EchoServer> {
  const started = await startEcho(options);
  closers.push(() => started.server.shutdown());
  return started;
}

function client(options = {}): RemotingClient {
  const made = new RemotingClient(options);
  closers.push(() => made.close());
  return made;
}

test('pipelined requests over one connection each get their own answer', async () => {
  const { addr, opened } = await echo();
  const remoting = client();
  const bodies = Array.from({ length: 200 }, (_, i) => Buffer.alloc(1 + i * 97, i));
  const answers = await Promise.all(
    bodies.map((body) => remoting.invoke(addr, createRequest(ECHO, null, body), 5000)),
  );
  expect(answers.every(({ body }, i) => body?.equals(bodies[i] as Buffer))).toBe(true);
  expect(opened).toHaveLength(1);
});

test('a body of megabytes travels both ways', async () => {
  const { addr } = await echo();
  const body = Buffer.alloc(9_000_000, 'abcdefg');
  const answer = await client().invoke(addr, createRequest(ECHO, null, body), 5000);
  expect(answer.body?.equals(body)).toBe(true);
});

test('an error of a processor is answered with code 1 and names itself', async () => {
  const { addr } = await echo();
  const answer = await client().invoke(addr, createRequest(FAIL), 5000);
  expect(answer).toMatchObject({ code: 1, remark: 'TypeError: broken on purpose' });
});

test('an unknown code is answered with 3 in the words of Java', async () => {
  const { addr } = await echo();
  const answer = await client().invoke(addr, createRequest(4711), 5000);
  expect(answer).toMatchObject({ code: 3, remark: ' request type 4711 not supported' });
});

test('a oneway request arrives and is not answered', async () => {
  const { addr, requests } = await echo();
  const remoting = client();
  await remoting.invokeOneway(addr, createRequest(ECHO, null, Buffer.from('x')));
  await until('the request', () => requests.length === 1);
  expect(requests[0]?.flag).toBe(2);
  const answer = await remoting.invoke(addr, createRequest(ECHO, null, Buffer.from('y')), 5000);
  expect(answer.body?.toString()).toBe('y');
});

test('the server asks the client over the same connection', async () => {
  const { addr, opened } = await echo();
  const remoting = client();
  const dispatcher = new RequestDispatcher();
  dispatcher.register([307], (command) => createResponse(command, 0, 'from the client'));
  remoting.setRequestHandler(dispatcher);
  await remoting.invoke(addr, createRequest(ECHO), 5000);
  const answer = await opened[0]?.invoke(createRequest(307), 5000);
  expect(answer?.remark).toBe('from the client');
});

test('a request without answer times out and leaves no waiter', async () => {
  const { addr, dispatcher } = await echo();
  dispatcher.register([1], () => null);
  await expect(client().invoke(addr, createRequest(1), 30)).rejects.toMatchObject({
    code: 'REQUEST_TIMEOUT',
  });
});

test('after silence and a timeout the connection is renewed, for it may be half open', async () => {
  const { addr, dispatcher, opened } = await echo();
  dispatcher.register([1], () => null);
  const remoting = client();
  await remoting.invoke(addr, createRequest(ECHO), 5000);
  await expect(remoting.invoke(addr, createRequest(1), 20)).rejects.toThrow();
  await remoting.invoke(addr, createRequest(ECHO), 5000);
  expect(opened).toHaveLength(2);
});

test('an aborted signal rejects with its reason at once', async () => {
  const { addr, dispatcher } = await echo();
  dispatcher.register([1], () => null);
  const abort = new AbortController();
  const answer = client().invoke(addr, createRequest(1), 60_000, abort.signal);
  setTimeout(() => abort.abort(new Error('enough')), 10);
  await expect(answer).rejects.toThrow('enough');
});

test('a closed connection fails what waits, and the next request dials again', async () => {
  const { addr, dispatcher, opened } = await echo();
  dispatcher.register([1], (_command, connection) => {
    connection.close('test');
    return null;
  });
  const remoting = client();
  await expect(remoting.invoke(addr, createRequest(1), 5000)).rejects.toMatchObject({
    code: 'CONNECTION_CLOSED',
  });
  await remoting.invoke(addr, createRequest(ECHO), 5000);
  expect(opened).toHaveLength(2);
});

test('an address that refuses fails at once, and after two failures without dialling', async () => {
  const { addr, server } = await startEcho();
  await server.shutdown();
  const remoting = client();
  for (let i = 0; i < 2; i++) {
    await expect(remoting.invoke(addr, createRequest(ECHO), 5000)).rejects.toMatchObject({
      code: 'CONNECT_FAILED',
    });
  }
  await expect(remoting.invoke(addr, createRequest(ECHO), 5000)).rejects.toThrow(/next try in/);
});

test('dialling counts against the timeout of the request', async () => {
  // A listener whose backlog is full neither accepts nor refuses; an unroutable address is as good.
  const remoting = client({ connectTimeoutMs: 60_000 });
  await expect(remoting.invoke('192.0.2.1:1', createRequest(ECHO), 30)).rejects.toMatchObject({
    code: /REQUEST_TIMEOUT|CONNECT_FAILED/,
  });
});

test('a server that is no RocketMQ closes the connection with an error that says so', async () => {
  const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const answer = client().invoke(`127.0.0.1:${port}`, createRequest(ECHO), 5000);
  await expect(answer).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
});

test.each(['permissive', 'enforcing'] as const)('TLS works in %s mode', async (mode) => {
  const { addr } = await echo({ tls: { ...tlsDefaults, 'tls.server.mode': mode } });
  const remoting = client({ tls: { testMode: true } });
  const body = Buffer.alloc(3_000_000, 'tls');
  const answers = await Promise.all([
    remoting.invoke(addr, createRequest(ECHO, null, body), 5000),
    remoting.invoke(addr, createRequest(ECHO, null, Buffer.from('small')), 5000),
  ]);
  expect(answers[0].body?.equals(body)).toBe(true);
  expect(answers[1].body?.toString()).toBe('small');
});

test('a client that wants proof refuses the self-signed certificate', async () => {
  const { addr } = await echo({ tls: tlsDefaults });
  const answer = client({ tls: { testMode: false } }).invoke(addr, createRequest(ECHO), 5000);
  await expect(answer).rejects.toThrow(/self.signed/i);
});

test('a hook that throws stops the request before it is sent', async () => {
  const { addr, requests } = await echo();
  const hook = {
    before: () => {
      throw new Error('not signed');
    },
  };
  const answer = client({ hooks: [hook] }).invoke(addr, createRequest(ECHO), 5000);
  await expect(answer).rejects.toThrow('not signed');
  expect(requests).toHaveLength(0);
});
