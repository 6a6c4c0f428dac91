import { describe, expect, it } from 'vitest';
import { parseJsonBody, textOf } from '../../../src/protocol/bodies/json-body.js';
import { messageQueueKey, queueTableMember } from '../../../src/protocol/bodies/message-queue.js';

const QUEUE = { brokerName: 'b', queueId: 3, topic: 'T' };

describe('a table with queues as keys', () => {
  it.each([
    '{"t":{{"brokerName":"b","queueId":3,"topic":"T"}:"v"}}',
    '{ "t" : { { "topic" : "T" , "queueId" : 3 , "brokerName" : "b" } : "v" } }',
    '{"t":{"{\\"brokerName\\":\\"b\\",\\"queueId\\":3,\\"topic\\":\\"T\\"}":"v"}}',
  ])('is read from %s', (text) => {
    const table = queueTableMember(parseJsonBody(text), 't', textOf);
    expect([...table]).toEqual([[QUEUE, 'v']]);
  });

  it('may have names with braces, colons and quotes in them (bug report 9)', () => {
    const text = '{"t":{{"brokerName":"a{\\":,}b","queueId":0,"topic":"x:{y}"}:"v,{:"}}';
    const [[queue, value] = []] = [...queueTableMember(parseJsonBody(text), 't', textOf)];
    expect(queue).toEqual({ brokerName: 'a{":,}b', queueId: 0, topic: 'x:{y}' });
    expect(value).toBe('v,{:');
  });

  it('refuses a key that is neither an object nor its text', () => {
    expect(() => queueTableMember(parseJsonBody('{"t":{"plain":"v"}}'), 't', textOf)).toThrow(
      /body/,
    );
  });
});

describe('messageQueueKey', () => {
  it('differs when any part differs', () => {
    const keys = [
      QUEUE,
      { ...QUEUE, queueId: 4 },
      { ...QUEUE, topic: 'U' },
      { ...QUEUE, brokerName: 'c' },
    ].map(messageQueueKey);
    expect(new Set(keys).size).toBe(4);
    expect(messageQueueKey({ ...QUEUE })).toBe(messageQueueKey(QUEUE));
  });
});
