// Test support: one stored record, of which a test says what matters to it.

import { encodeMessage } from '../../src/message/message-encoder.js';
import type { MessageFields } from '../../src/message/message-ext.js';

const HOST = { address: Buffer.from([127, 0, 0, 1]), port: 10_911 };

export function exampleRecord(fields: Partial<MessageFields>): Buffer {
  return encodeMessage({
    topic: 'T',
    queueId: 0,
    flag: 0,
    queueOffset: 0,
    physicalOffset: 0,
    sysFlag: 0,
    bornTimestamp: 1,
    bornHost: HOST,
    storeTimestamp: 2,
    storeHost: HOST,
    reconsumeTimes: 0,
    preparedTransactionOffset: 0,
    body: Buffer.from('body'),
    propertiesText: '',
    ...fields,
  });
}

/** Properties as they are stored. */
export function propertiesOf(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}\u0001${value}\u0002`)
    .join('');
}
