import { describe, expect, it } from 'vitest';
import { setLogLevel } from '../../../src/base/logger.js';
import { formatAddress } from '../../../src/base/net-address.js';
import { deliveredMessage } from '../../../src/broker/schedule/delivered-message.js';
import { encodeProperties } from '../../../src/message/message-properties.js';
import { goldenJson, goldenStoreFiles } from '../../golden-data.js';
import { exampleRecord } from '../../support/example-record.js';

setLogLevel('silent');

interface GoldenMessage {
  readonly off: number;
  readonly size: number;
  readonly topic: string;
  readonly queueId: number;
  readonly flag: number;
  readonly sysFlag: number;
  readonly born: number;
  readonly bornHost: string;
  readonly storeHost: string;
  readonly reconsume: number;
  readonly preparedOffset: number;
  readonly bodyHex: string;
  readonly propsRaw: string;
  readonly props: Record<string, string>;
}

const LOG_FILE_BYTES = 1_048_576;

/** The records of the golden store that went through the schedule topic, each with what Java made of it. */
function goldenPairs(): (readonly [record: Buffer, delivered: GoldenMessage])[] {
  const golden = goldenJson<{
    stores: Record<string, { dump: { messages: GoldenMessage[] } }>;
  }>('golden.json');
  const messages = golden.stores['main']?.dump.messages ?? [];
  const files = goldenStoreFiles('store-main.tar.gz');
  const pairs: (readonly [Buffer, GoldenMessage])[] = [];
  for (const scheduled of messages) {
    if (scheduled.topic !== 'SCHEDULE_TOPIC_XXXX') continue;
    const key = (it: GoldenMessage) => `${it.props['UNIQ_KEY']} ${it.reconsume}`;
    const delivered = messages.find(
      (it) => it.topic === scheduled.props['REAL_TOPIC'] && key(it) === key(scheduled),
    );
    if (delivered === undefined) continue;
    const start = scheduled.off - (scheduled.off % LOG_FILE_BYTES);
    const name = `commitlog/${String(start).padStart(20, '0')}`;
    for (const [path, bytes] of files) {
      if (!path.endsWith(name)) continue;
      const at = scheduled.off - start;
      pairs.push([bytes.subarray(at, at + scheduled.size), delivered]);
    }
  }
  return pairs;
}

describe('deliveredMessage', () => {
  it("is Java's: topic, queue, hosts, body and the text of the properties", () => {
    const pairs = goldenPairs();
    expect(pairs.length).toBeGreaterThanOrEqual(4);
    for (const [record, golden] of pairs) {
      const message = deliveredMessage(record);
      if (message === null) throw new Error('nothing is delivered');
      const storeHost = message.storeHost as { address: Uint8Array; port: number };
      expect({
        topic: message.topic,
        queueId: message.queueId,
        flag: message.flag,
        sysFlag: message.sysFlag,
        born: message.bornTimestamp,
        bornHost: `/${formatAddress(message.bornHost, message.bornPort)}`,
        storeHost: `/${formatAddress(storeHost.address, storeHost.port)}`,
        reconsume: message.reconsumeTimes,
        preparedOffset: message.preparedTransactionOffset,
        propsRaw: message.properties,
      }).toEqual({
        topic: golden.topic,
        queueId: golden.queueId,
        flag: golden.flag,
        sysFlag: golden.sysFlag,
        born: golden.born,
        bornHost: golden.bornHost,
        storeHost: golden.storeHost,
        reconsume: golden.reconsume,
        preparedOffset: golden.preparedOffset,
        propsRaw: golden.propsRaw,
      });
      const body = Buffer.from(message.body).toString('hex');
      expect(body.startsWith(golden.bodyHex)).toBe(true);
      expect(message.properties).toContain('WAIT\u0001');
      expect([message.waitStoreMsgOk, message.isDelayServed]).toEqual([false, true]);
    }
  });

  it('is nothing for a half message, and for what is no delayed message', () => {
    const text = (topic: string) =>
      encodeProperties(
        new Map([
          ['REAL_TOPIC', topic],
          ['REAL_QID', '1'],
        ]),
      );
    const half = exampleRecord({ propertiesText: text('RMQ_SYS_TRANS_HALF_TOPIC') });
    expect(deliveredMessage(half)).toBeNull();
    expect(deliveredMessage(exampleRecord({}))).toBeNull();
    const whole = exampleRecord({ propertiesText: text('T') });
    expect(deliveredMessage(whole.subarray(0, 40))).toBeNull();
    expect(deliveredMessage(whole)?.topic).toBe('T');
  });

  it('keeps IPv6 hosts', () => {
    const address = Buffer.from('20010db8000000000000000000000001', 'hex');
    const record = exampleRecord({
      bornHost: { address, port: 5 },
      storeHost: { address, port: 6 },
      propertiesText: encodeProperties(
        new Map([
          ['REAL_TOPIC', 'T'],
          ['REAL_QID', '1'],
        ]),
      ),
    });
    const message = deliveredMessage(record);
    expect(message?.bornHost).toEqual(address);
    expect(message?.storeHost).toEqual({ address, port: 6 });
  });
});
