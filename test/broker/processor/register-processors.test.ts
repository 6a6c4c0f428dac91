// bugreports.md #36: each request code with each of its required fields missing, empty or of the wrong type is answered with
// code 1 and a remark that names the field, and never with an empty success.

import { describe, expect, it } from 'vitest';
import { setLogLevel } from '../../../src/base/logger.js';
import { testBroker } from '../fakes.js';

setLogLevel('silent');

const TOPIC = { topic: 'T' };
const QUEUE = { ...TOPIC, queueId: '0' };
const PEER = { topic: 'T', group: 'g' };

const REQUIRED: [code: number, fields: Record<string, string>, numbers: string[]][] = [
  [
    12,
    { topic: 'T', key: 'k', maxNum: '1', beginTimestamp: '0', endTimestamp: '1' },
    ['maxNum', 'beginTimestamp', 'endTimestamp'],
  ],
  [14, { ...QUEUE, consumerGroup: 'g' }, ['queueId']],
  [15, { ...QUEUE, consumerGroup: 'g', commitOffset: '1' }, ['queueId', 'commitOffset']],
  [
    17,
    { ...TOPIC, readQueueNums: '1', writeQueueNums: '1', perm: '6', topicFilterType: 'SINGLE_TAG' },
    ['readQueueNums', 'writeQueueNums', 'perm'],
  ],
  [29, { ...QUEUE, timestamp: '1' }, ['queueId', 'timestamp']],
  [30, QUEUE, ['queueId']],
  [31, QUEUE, ['queueId']],
  [32, QUEUE, ['queueId']],
  [33, { offset: '0' }, ['offset']],
  [35, { clientID: 'c' }, []],
  [36, { offset: '0', group: 'g', delayLevel: '0' }, ['offset']],
  [38, { consumerGroup: 'g' }, []],
  [202, TOPIC, []],
  [203, { consumerGroup: 'g' }, []],
  [204, { producerGroup: 'g' }, []],
  [207, { groupName: 'g' }, []],
  [208, { consumerGroup: 'g' }, []],
  [215, TOPIC, []],
  [222, { ...PEER, timestamp: '-1', isForce: 'true' }, ['timestamp', 'isForce']],
  [223, PEER, []],
  [300, TOPIC, []],
  [303, PEER, []],
  [307, { consumerGroup: 'g' }, []],
  [308, { topic: 'T', compareGroup: 'g' }, []],
  [309, { msgId: '0'.repeat(32) }, []],
  [314, { srcGroup: 'g', destGroup: 'h' }, []],
  [315, { statsName: 'TOPIC_PUT_NUMS', statsKey: 'T' }, []],
  [317, { isOrder: 'false' }, ['isOrder']],
  [321, { ...QUEUE, index: '0', count: '1' }, ['queueId', 'index', 'count']],
];

describe('a request whose required field is missing, empty or wrong', () => {
  for (const [code, fields, numbers] of REQUIRED) {
    for (const name of Object.keys(fields)) {
      if (code === 36 && name === 'delayLevel') continue;
      const wrong = [undefined, '', ...(numbers.includes(name) ? ['x', '1.5'] : [])];
      for (const value of wrong) {
        it(`answers ${code} with 1 and the name of "${name}" when it is ${JSON.stringify(value)}`, async () => {
          const { ask } = testBroker();
          const changed: Record<string, string> = { ...fields };
          if (value === undefined) delete changed[name];
          else changed[name] = value;
          const answer = await ask(code, changed);
          expect(answer?.code).toBe(1);
          expect(answer?.remark).toContain(`"${name}"`);
        });
      }
    }
  }
});
