import { describe, expect, it } from 'vitest';
import {
  decodeTopicRouteData,
  encodeTopicRouteData,
  type TopicRouteData,
} from '../../../src/protocol/bodies/topic-route-data.js';
import { roundTrips } from './golden-bodies.js';

const ROUTE: TopicRouteData = {
  brokerDatas: [
    {
      brokerAddrs: new Map([
        [0, '1.1.1.1:10911'],
        [16, '2.2.2.2:10911'],
      ]),
      brokerName: '主',
      cluster: 'c',
    },
  ],
  filterServerTable: new Map(),
  orderTopicConf: 'a:4',
  queueDatas: [{ brokerName: '主', perm: 6, readQueueNums: 4, topicSysFlag: 0, writeQueueNums: 4 }],
};

describe('the route of a topic', () => {
  it('is read and written as Java does for a requester of 4.9.7', () => {
    const { java, ours } = roundTrips(
      'GET_ROUTEINFO_BY_TOPIC.response',
      decodeTopicRouteData,
      (route) => encodeTopicRouteData(route, 'standard'),
    );
    expect(ours).toEqual(java);
  });

  it('has bare ids and its own script in the native form (bug report 10)', () => {
    const text = encodeTopicRouteData(ROUTE, 'native').toString();
    expect(text).toBe(
      '{"brokerDatas":[{"brokerAddrs":{0:"1.1.1.1:10911",16:"2.2.2.2:10911"},"brokerName":"主","cluster":"c"}],' +
        '"filterServerTable":{},"orderTopicConf":"a:4",' +
        '"queueDatas":[{"brokerName":"主","perm":6,"readQueueNums":4,"topicSysFlag":0,"writeQueueNums":4}]}',
    );
    expect(decodeTopicRouteData(text)).toEqual(ROUTE);
  });

  it('can be read by any JSON parser in the standard form', () => {
    const text = encodeTopicRouteData(ROUTE, 'standard').toString();
    expect(text).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(text).brokerDatas[0]).toEqual({
      brokerAddrs: { '0': '1.1.1.1:10911', '16': '2.2.2.2:10911' },
      brokerName: '主',
      cluster: 'c',
    });
    expect(decodeTopicRouteData(text)).toEqual(ROUTE);
  });

  it('has the master first, whatever order the ids came in (bug report 17)', () => {
    const text = '{"brokerDatas":[{"brokerAddrs":{16:"s:1",2:"t:1",0:"m:1"},"brokerName":"b"}]}';
    const [broker] = decodeTopicRouteData(text).brokerDatas;
    expect([...(broker?.brokerAddrs.keys() ?? [])]).toEqual([0, 2, 16]);
  });
});
