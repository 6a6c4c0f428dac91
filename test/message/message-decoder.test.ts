import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAddress } from '../../src/base/net-address.js';
import { decodeMessage, decodeMessages } from '../../src/message/message-decoder.js';
import { encodeMessage } from '../../src/message/message-encoder.js';
import { decodeProperties } from '../../src/message/message-properties.js';
import { goldenJson, goldenStoreFiles } from '../golden-data.js';

interface JavaRecord {
  readonly off: number;
  readonly size: number;
  readonly bodyCRC: number;
  readonly queueId: number;
  readonly flag: number;
  readonly queueOffset: number;
  readonly physicOffset: number;
  readonly sysFlag: number;
  readonly born: number;
  readonly bornHost: string;
  readonly store: number;
  readonly storeHost: string;
  readonly reconsume: number;
  readonly preparedOffset: number;
  readonly topic: string;
  readonly msgId: string;
  readonly bodyLen: number;
  readonly bodyHex?: string;
  readonly propsRaw: string;
  /** Absent where the text of the whole record is not short. */
  readonly props?: Record<string, string>;
  readonly recordSha256: string;
}

interface GoldenStores {
  readonly stores: Record<
    string,
    { readonly file: string; readonly dump: { readonly messages: readonly JavaRecord[] } }
  >;
}

const { stores } = goldenJson<GoldenStores>('golden.json');
const STORES = ['main', 'sql', 'v6', 'ha-master', 'ha-slave'];

describe.each(STORES)('the records of store %s', (name) => {
  const store = stores[name] as GoldenStores['stores'][string];
  const log = logReader(store.file);

  it('are read as the Java decoder reads them', () => {
    expect(store.dump.messages.length).toBeGreaterThan(0);
    for (const java of store.dump.messages) {
      const { buffer, position } = log(java.off);
      const message = decodeMessage(buffer, position);
      if (message === null) throw new Error(`no record at ${java.off}`);
      expect({
        off: message.physicalOffset,
        size: message.storeSize,
        bodyCRC: message.bodyCrc,
        queueId: message.queueId,
        flag: message.flag,
        queueOffset: message.queueOffset,
        physicOffset: message.physicalOffset,
        sysFlag: message.sysFlag,
        born: message.bornTimestamp,
        bornHost: formatAddress(message.bornHost.address, message.bornHost.port),
        store: message.storeTimestamp,
        storeHost: formatAddress(message.storeHost.address, message.storeHost.port),
        reconsume: message.reconsumeTimes,
        preparedOffset: message.preparedTransactionOffset,
        topic: message.topic,
        msgId: message.offsetMsgId,
        bodyLen: message.body.length,
        propsRaw: message.propertiesText,
        props: Object.fromEntries(message.properties),
      }).toEqual({
        off: java.off,
        size: java.size,
        bodyCRC: java.bodyCRC,
        queueId: java.queueId,
        flag: java.flag,
        queueOffset: java.queueOffset,
        physicOffset: java.physicOffset,
        sysFlag: java.sysFlag,
        born: java.born,
        bornHost: javaAddress(java.bornHost),
        store: java.store,
        storeHost: javaAddress(java.storeHost),
        reconsume: java.reconsume,
        preparedOffset: java.preparedOffset,
        topic: java.topic,
        msgId: java.msgId,
        bodyLen: java.bodyLen,
        propsRaw: java.propsRaw,
        props: java.props ?? Object.fromEntries(decodeProperties(java.propsRaw)),
      });
      if (java.bodyHex !== undefined) expect(message.body.toString('hex')).toBe(java.bodyHex);
    }
  });

  it('are written again to the same bytes', () => {
    for (const java of store.dump.messages) {
      const { buffer, position } = log(java.off);
      const message = decodeMessage(buffer, position);
      if (message === null) throw new Error(`no record at ${java.off}`);
      const sha256 = createHash('sha256').update(encodeMessage(message)).digest('hex');
      expect(sha256, `${name} ${java.off}`).toBe(java.recordSha256);
    }
  });
});

describe('decodeMessages', () => {
  it('reads records back to back and stops at the blank tail', () => {
    const files = goldenStoreFiles('store-main.tar.gz');
    const first = files.get('commitlog/00000000000000000000') as Buffer;
    const java = stores['main']?.dump.messages.filter((record) => record.off < first.length) ?? [];
    expect(decodeMessages(first).map((message) => message.physicalOffset)).toEqual(
      java.map((record) => record.off),
    );
  });

  it('gives bodies that do not change with the buffer', () => {
    const { buffer, position } = logReader('store-main.tar.gz')(0);
    const record = Buffer.from(buffer.subarray(position, position + 196));
    const [message] = decodeMessages(record);
    record.fill(0xff);
    expect(message?.body.toString()).toBe('plain-0');
    expect([...(message?.storeHost.address ?? [])]).toEqual([127, 0, 0, 1]);
  });
});

describe('decodeMessage', () => {
  const { buffer, position } = logReader('store-main.tar.gz')(0);
  const record = Buffer.from(buffer.subarray(position, position + 196));

  it('is null for every record that is cut short', () => {
    for (let length = 0; length < record.length; length++) {
      expect(decodeMessage(record.subarray(0, length), 0)).toBeNull();
    }
  });

  it('is null or a message, never an error, for damaged records and random bytes', () => {
    const damage = fc.array(fc.tuple(fc.nat(record.length - 1), fc.nat(255)), { minLength: 1 });
    fc.assert(
      fc.property(damage, fc.uint8Array({ maxLength: 300 }), (changes, random) => {
        const damaged = Buffer.from(record);
        for (const [at, value] of changes) damaged[at] = value;
        const message = decodeMessage(damaged, 0);
        expect(message === null || message.storeSize === record.length).toBe(true);
        decodeMessages(Buffer.from(random));
      }),
      { numRuns: 1000 },
    );
  });
});

/** Finds the file and the place in it of a physical offset. */
function logReader(file: string) {
  const segments = [...goldenStoreFiles(file)]
    .filter(([path]) => path.startsWith('commitlog/'))
    .map(([path, bytes]) => ({ start: Number(path.slice('commitlog/'.length)), bytes }));
  return (physicalOffset: number) => {
    const segment = segments.find(
      ({ start, bytes }) => physicalOffset >= start && physicalOffset < start + bytes.length,
    );
    if (segment === undefined) throw new Error(`no segment holds ${physicalOffset}`);
    return { buffer: segment.bytes, position: physicalOffset - segment.start };
  };
}

/** Java prints "/127.0.0.1:10911" and "/[fd00:0:0:0:0:0:0:2]:10911". */
function javaAddress(text: string): string {
  return text.replace(/^\//, '').replace(/^\[(.*)\]:/, '$1:');
}
