import { describe, expect, it } from 'vitest';
import { neededResources } from '../../../src/broker/acl/access-resource.js';
import { createRequest } from '../../../src/protocol/remoting-command.js';
import { heartbeatBody } from '../fakes.js';

const PUB = 4;
const SUB = 8;

function needs(code: number, fields: Record<string, string> | null, body = ''): object {
  const request = createRequest(code, fields, body === '' ? null : Buffer.from(body));
  return Object.fromEntries(neededResources(request));
}

describe('a request needs (protocol.md 10.3)', () => {
  it('PUB on the topic that it sends to', () => {
    expect(needs(10, { topic: 't', group: 'g' })).toEqual({ t: PUB });
    expect(needs(310, { b: 't', a: 'g' })).toEqual({ t: PUB });
  });

  it('SUB on both retry topics, its own and its group’s, when it sends to one', () => {
    const both = { '%RETRY%g': SUB, '%RETRY%h': SUB };
    expect(needs(10, { topic: '%RETRY%g', group: 'h' })).toEqual(both);
    expect(needs(310, { b: '%RETRY%g', a: 'h' })).toEqual(both);
    expect(needs(310, { b: '%RETRY%g', a: 'g' })).toEqual({ '%RETRY%g': SUB });
  });

  it('PUB on either name when the topic is given in the long and in the short way', () => {
    expect(needs(310, { b: 't', topic: 'u' })).toEqual({ t: PUB, u: PUB });
    expect(needs(10, { b: 't', topic: 'u' })).toEqual({ t: PUB, u: PUB });
  });

  it('SUB on what it reads and the group that reads', () => {
    const read = { t: SUB, '%RETRY%g': SUB };
    const group = { '%RETRY%g': SUB };
    expect(needs(11, { topic: 't', consumerGroup: 'g' })).toEqual(read);
    expect(needs(15, { topic: 't', consumerGroup: 'g' })).toEqual(read);
    expect(needs(12, { topic: 't' })).toEqual({ t: SUB });
    expect(needs(35, { consumerGroup: 'g', producerGroup: 'p' })).toEqual(group);
    expect(needs(38, { consumerGroup: 'g' })).toEqual(group);
    expect(needs(36, { group: 'g', originTopic: 't' })).toEqual(group);
  });

  it('SUB on each group and topic of a heartbeat', () => {
    const consumers = [
      { group: 'g', topics: { t: '*', u: '*' } },
      { group: 'h', topics: { '%RETRY%h': '*' } },
    ];
    expect(needs(34, {}, heartbeatBody('c', consumers, ['p']))).toEqual({
      '%RETRY%g': SUB,
      t: SUB,
      u: SUB,
      '%RETRY%h': SUB,
    });
    expect(() => needs(34, {}, 'no json')).toThrow();
  });

  it('nothing for other codes, and nothing for what is not there', () => {
    for (const code of [320, 324, 325, 37, 14, 30, 222, 50, 54, 17, 9999]) {
      expect(needs(code, { topic: 't', b: 't', consumerGroup: 'g' })).toEqual({});
    }
    for (const code of [10, 310, 11, 12, 15, 35, 36, 38]) expect(needs(code, null)).toEqual({});
  });
});
