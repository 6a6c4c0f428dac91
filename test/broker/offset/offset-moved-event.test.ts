import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseHostPort } from '../../../src/base/net-address.js';
import { offsetMovedMessage } from '../../../src/broker/offset/offset-moved-event.js';
import { goldenJson } from '../../golden-data.js';

interface GoldenMessage {
  readonly topic: string;
  readonly propsRaw: string;
  readonly bodySha256: string;
}
interface Golden {
  stores: Record<string, { dump: { messages: GoldenMessage[] } }>;
}

describe('offsetMovedMessage', () => {
  it("is the record that Java's broker left, body and properties", () => {
    const messages = goldenJson<Golden>('golden.json').stores['main']?.dump.messages ?? [];
    const golden = messages.find((it) => it.topic === 'OFFSET_MOVED_EVENT');
    const queue = { brokerName: 'golden-a', queueId: 0, topic: 'GoldenTopic' };
    const event = { group: 'CG_pull', queue, requestedOffset: 100_000, newOffset: 10, atMs: 1 };
    const message = offsetMovedMessage(event, parseHostPort('127.0.0.1:28731'));
    expect(message.properties).toBe(golden?.propsRaw);
    expect(createHash('sha256').update(message.body).digest('hex')).toBe(golden?.bodySha256);
    expect(message.bornHost).toEqual(Buffer.from([127, 0, 0, 1]));
  });
});
