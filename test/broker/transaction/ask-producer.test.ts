import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { setLogLevel } from '../../../src/base/logger.js';
import { ClientChannelInfo } from '../../../src/broker/client/client-channel-info.js';
import { askProducer } from '../../../src/broker/transaction/ask-producer.js';
import { decodeMessage } from '../../../src/message/message-decoder.js';
import type { MessageExt } from '../../../src/message/message-ext.js';
import { encodeFrame } from '../../../src/protocol/frame-codec.js';
import { goldenFrames } from '../../golden-data.js';
import { FakeConnection } from '../fakes.js';
import { goldenBytes, goldenRecord } from './golden-transaction.js';
import { transactionBroker } from './record-store.js';

setLogLevel('silent');

let clock: ManualClock;
let broker: ReturnType<typeof transactionBroker>;
beforeEach(() => {
  clock = new ManualClock();
  broker = transactionBroker(clock);
});

function producer(id: number, group = 'PG_tran'): FakeConnection {
  const connection = new FakeConnection(id);
  broker.context.producers.register(
    group,
    new ClientChannelInfo(connection, `p${id}`, 0, 407, clock),
  );
  return connection;
}

function ask(halfAt: number, renewedAt: number, change: (half: MessageExt) => void = () => {}) {
  const half = decodeMessage(goldenBytes(halfAt), 0) as MessageExt;
  change(half);
  const { off: physicalOffset, queueOffset, store: storeTimestamp } = goldenRecord(renewedAt);
  const stored = { physicalOffset, queueOffset, storeTimestamp, wroteEnd: 0, msgId: '' };
  askProducer(broker.context, half, { status: 0, ...stored });
}

describe('CHECK_TRANSACTION_STATE', () => {
  it.each([
    ['tran-unknown-commit', 8881, 2_683_033, 0],
    ['tran-unknown-rb', 9209, 2_683_387, 1],
  ])("is Java's frame, byte for byte: %s", (_, halfAt, renewedAt, index) => {
    const connection = producer(1);
    ask(halfAt, renewedAt);
    const golden = goldenFrames().filter((it) => it.code === 39)[index];
    const [command] = connection.oneways;
    if (command === undefined || golden === undefined) throw new Error('no frame');
    const sent = { ...command, opaque: golden.opaque, flag: 2 };
    expect(encodeFrame(sent).toString('hex')).toBe(golden.hex);
  });

  it('goes to the live members of the group in turn', () => {
    const [a, b, c] = [producer(1), producer(2), producer(3)];
    producer(4, 'PG_other');
    b.isClosed = true;
    for (let i = 0; i < 4; i++) ask(8881, 2_683_033);
    expect(a.oneways.length + c.oneways.length).toBe(4);
    expect(Math.min(a.oneways.length, c.oneways.length)).toBeGreaterThan(0);
  });

  it('is not sent when the group is offline, or the half does not say whose it is', () => {
    const connection = producer(1);
    ask(8881, 2_683_033, (half) => half.properties.set('PGROUP', 'nobody'));
    ask(8881, 2_683_033, (half) => half.properties.delete('PGROUP'));
    ask(8881, 2_683_033, (half) => half.properties.set('REAL_QID', 'x'));
    expect(connection.oneways).toEqual([]);
    ask(8881, 2_683_033, (half) => half.properties.delete('UNIQ_KEY'));
    expect(Object.keys(connection.oneways[0]?.extFields ?? {}).sort()).toEqual([
      'commitLogOffset',
      'offsetMsgId',
      'tranStateTableOffset',
    ]);
  });
});
