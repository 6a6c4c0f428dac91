import { expect, test } from 'vitest';
import { AssertionError } from '../../src/base/assert.js';
import { cometError } from '../../src/base/errors.js';
import { setLogLevel } from '../../src/base/logger.js';
import { decodeFrame } from '../../src/protocol/frame-codec.js';
import {
  createRequest,
  createResponse,
  markOneway,
  type RemotingCommand,
} from '../../src/protocol/remoting-command.js';
import type { Connection } from '../../src/remoting/connection.js';
import { RequestDispatcher } from '../../src/remoting/request-dispatcher.js';

setLogLevel('silent');

class Channel {
  readonly remoteAddress = '10.0.0.1:1';
  readonly answers: RemotingCommand[] = [];
  readonly completed: RemotingCommand[] = [];
  send(frame: Buffer): void {
    this.answers.push(decodeFrame(frame));
  }
  completeResponse(response: RemotingCommand): void {
    this.completed.push(response);
  }
}

async function dispatch(dispatcher: RequestDispatcher, command: RemotingCommand): Promise<Channel> {
  const channel = new Channel();
  dispatcher.dispatch(channel as unknown as Connection, command);
  await new Promise((resolve) => setImmediate(resolve));
  return channel;
}

test.each([
  ['thrown', () => Promise.reject(cometError('TOPIC_NOT_EXIST', 'x')), 17, /x$/],
  ['rejected', () => Promise.reject(new RangeError('out')), 1, /^RangeError: out$/],
])('an error that is %s is the answer', async (_name, processor, code, remark) => {
  const dispatcher = new RequestDispatcher();
  dispatcher.register([7], processor);
  const { answers } = await dispatch(dispatcher, { ...createRequest(7), opaque: 9 });
  expect(answers).toMatchObject([{ code, opaque: 9 }]);
  expect(answers[0]?.remark).toMatch(remark);
});

test('a failed assert is not caught', () => {
  const dispatcher = new RequestDispatcher();
  dispatcher.register([7], () => {
    throw new AssertionError('never');
  });
  const channel = new Channel() as unknown as Connection;
  expect(() => dispatcher.dispatch(channel, createRequest(7))).toThrow(AssertionError);
});

test('a oneway request gets no answer, not even an error', async () => {
  const dispatcher = new RequestDispatcher();
  const unknown = createRequest(7);
  markOneway(unknown);
  expect((await dispatch(dispatcher, unknown)).answers).toEqual([]);
});

test('an answer goes to who asked, and is never answered itself', async () => {
  const response = createResponse(createRequest(7), 0);
  const { answers, completed } = await dispatch(new RequestDispatcher(), response);
  expect(answers).toEqual([]);
  expect(completed).toEqual([response]);
});

test('an answer that fits in no frame becomes an error, so that nobody waits for it', async () => {
  const dispatcher = new RequestDispatcher();
  dispatcher.register([7], (command) => {
    const response = createResponse(command, 0);
    response.body = Buffer.alloc(17 * 1024 * 1024);
    return response;
  });
  const { answers } = await dispatch(dispatcher, createRequest(7));
  expect(answers[0]?.code).not.toBe(0);
});

test('hooks run before and after; one that throws answers in place of the processor', async () => {
  const dispatcher = new RequestDispatcher();
  const seen: string[] = [];
  dispatcher.register([7], (command) => createResponse(command, 0));
  dispatcher.addHook({
    before: (address, request) => {
      seen.push(`before ${address} ${request.code}`);
      if (request.extFields !== null) throw cometError('NO_PERMISSION', 'no');
    },
    after: (_address, _request, response) => seen.push(`after ${response?.code}`),
  });
  await dispatch(dispatcher, createRequest(7));
  expect(seen).toEqual(['before 10.0.0.1:1 7', 'after 0']);
  const { answers } = await dispatch(dispatcher, createRequest(7, { a: '1' }));
  expect(answers).toMatchObject([{ code: 16 }]);
});
