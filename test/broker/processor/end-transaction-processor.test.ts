import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/base/clock.js';
import { MAX_ENDING_TRANSACTIONS } from '../../../src/base/limits.js';
import { setLogLevel } from '../../../src/base/logger.js';
import { parseHostPort } from '../../../src/base/net-address.js';
import { decodeProperties } from '../../../src/message/message-properties.js';
import { decodeFrame } from '../../../src/protocol/frame-codec.js';
import { createRequest } from '../../../src/protocol/remoting-command.js';
import type { MessageToPut } from '../../../src/store/message-store.js';
import { PutMessageStatus } from '../../../src/store/put-message.js';
import { frameBytes, goldenFrames } from '../../golden-data.js';
import { dispatch, FakeConnection } from '../fakes.js';
import { goldenBytes, goldenRecord, sumAt } from '../transaction/golden-transaction.js';
import { transactionBroker } from '../transaction/record-store.js';

setLogLevel('silent');

const END_TRANSACTION = 37;
const OP_TOPIC = 'RMQ_SYS_TRANS_OP_HALF_TOPIC';
const COMMIT = '8';
const ROLLBACK = '12';

let clock: ManualClock;
let broker: ReturnType<typeof transactionBroker>;
beforeEach(() => setUp());

/** A broker that holds the half message of the golden run that was committed at once. */
function setUp(flags: Record<string, string> = {}, halfAt = 7685): void {
  clock = new ManualClock();
  broker = transactionBroker(clock, flags);
  addRecord(halfAt);
}

function addRecord(physicalOffset: number, record = goldenBytes(physicalOffset)): void {
  const it = goldenRecord(physicalOffset);
  const { address, port } = parseHostPort(it.bornHost.slice(1));
  const message: MessageToPut = {
    topic: it.topic,
    queueId: it.queueId,
    flag: it.flag,
    sysFlag: it.sysFlag,
    bornTimestamp: it.born,
    bornHost: address,
    bornPort: port,
    reconsumeTimes: 0,
    preparedTransactionOffset: 0,
    body: Buffer.from(it.bodyHex, 'hex'),
    properties: it.propsRaw,
    waitStoreMsgOk: true,
  };
  broker.store.add(message, record, physicalOffset);
}

function fields(more: Record<string, string> = {}): Record<string, string> {
  return {
    producerGroup: 'PG_tran',
    commitLogOffset: '7685',
    tranStateTableOffset: '0',
    commitOrRollback: COMMIT,
    msgId: 'FD00',
    ...more,
  };
}

const end = (more: Record<string, string> = {}) => broker.ask(END_TRANSACTION, fields(more));
/** What was stored since the half. */
const stored = () => broker.store.all.slice(1).map((it) => it.message);

/** The op record follows without anybody waiting for it. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a commit', () => {
  it("stores Java's two records, byte for byte, for Java's request", async () => {
    const frame = goldenFrames().find((it) => it.ex === 'json-client-broker-37-0-oneway');
    if (frame === undefined) throw new Error('no golden frame');
    clock.stepWallClock(goldenRecord(8295).born - clock.nowMs());
    const connection = new FakeConnection(7);
    await dispatch(broker.controller, decodeFrame(frameBytes(frame)), connection);
    await settled();
    const [committed, op, ...rest] = stored();
    if (committed === undefined || op === undefined) throw new Error('not stored');
    expect(sumAt(committed, goldenRecord(7997))).toBe(goldenRecord(7997).recordSha256);
    expect(sumAt(op, goldenRecord(8295))).toBe(goldenRecord(8295).recordSha256);
    expect(rest).toEqual([]);
    expect(connection.sent).toEqual([]);
  });

  it('is answered with success and no remark', async () => {
    expect(await end()).toMatchObject({ code: 0, remark: null });
  });

  it('settles the half only after the committed record is stored', async () => {
    let open = () => {};
    broker.store.gate = new Promise((resolve) => {
      open = resolve;
    });
    const answer = end();
    for (let i = 0; i < 5; i++) await settled();
    expect(stored()).toEqual([]);
    open();
    await answer;
    await settled();
    expect(stored().map((it) => it.topic)).toEqual(['GoldenTran', OP_TOPIC]);
  });

  it.each(['FLUSH_DISK_TIMEOUT', 'FLUSH_SLAVE_TIMEOUT', 'SLAVE_NOT_AVAILABLE'] as const)(
    'counts as done at %s: the record is there',
    async (status) => {
      broker.store.putStatus = PutMessageStatus[status];
      expect(await end()).toMatchObject({ code: 0, remark: null });
      await settled();
      expect(stored().map((it) => it.topic)).toEqual(['GoldenTran', OP_TOPIC]);
    },
  );

  it.each([
    ['CREATE_MAPEDFILE_FAILED', 1, 'Create mapped file failed.'],
    [
      'MESSAGE_ILLEGAL',
      13,
      'The message is illegal, maybe msg body or properties length not matched. ' +
        'msg body length limit 4194304B, msg properties length limit 32KB.',
    ],
    ['SERVICE_NOT_AVAILABLE', 14, 'Service not available now.'],
    ['OS_PAGECACHE_BUSY', 1, 'OS page cache busy, please try another machine'],
    ['UNKNOWN_ERROR', 1, 'UNKNOWN_ERROR'],
    ['LMQ_CONSUME_QUEUE_NUM_EXCEEDED', 1, 'UNKNOWN_ERROR DEFAULT'],
  ] as const)('that ends in %s is answered %i and does not settle the half', async (...row) => {
    const [status, code, remark] = row;
    broker.store.putStatus = PutMessageStatus[status];
    expect(await end()).toMatchObject({ code, remark });
    await settled();
    expect(broker.store.puts(OP_TOPIC)).toEqual([]);
  });

  it('is answered although the op record fails: the half is asked after again then', async () => {
    broker.store.refused.add(OP_TOPIC);
    expect(await end()).toMatchObject({ code: 0 });
  });
});

describe('a rollback', () => {
  it('leaves only the op record, and the remark that Java leaves', async () => {
    const answer = await end({ commitOrRollback: ROLLBACK });
    expect(answer).toMatchObject({ code: 0, remark: 'not set any response code' });
    await settled();
    expect(stored().map((it) => [it.topic, it.body.toString()])).toEqual([[OP_TOPIC, '0']]);
  });

  it("of a half that was stored anew, as Java's client says it, settles that one", async () => {
    setUp({}, 2_683_387);
    const frame = goldenFrames().find((it) => it.ex === 'json-client-broker-37-1-oneway');
    if (frame === undefined) throw new Error('no golden frame');
    await dispatch(broker.controller, decodeFrame(frameBytes(frame)), new FakeConnection(7));
    await settled();
    expect(stored().map((it) => [it.topic, it.body.toString()])).toEqual([[OP_TOPIC, '6']]);
  });
});

describe('END_TRANSACTION', () => {
  it('is refused as busy while too many are under way, and served again after them', async () => {
    let open = () => {};
    const gate = new Promise<null>((resolve) => {
      open = () => resolve(null);
    });
    broker.store.lookMessageByOffset = () => gate;
    const waiting = new FakeConnection(8);
    for (let i = 0; i < MAX_ENDING_TRANSACTIONS; i++) {
      const request = createRequest(END_TRANSACTION, fields());
      broker.controller.dispatcher.dispatch(waiting as never, request);
    }
    expect((await end())?.code).toBe(2);
    expect(waiting.sent).toEqual([]);
    open();
    for (let i = 0; i < 100 && waiting.sent.length < MAX_ENDING_TRANSACTIONS; i++) await settled();
    expect(waiting.sent.length).toBe(MAX_ENDING_TRANSACTIONS);
    expect((await end())?.remark).toBe('Find prepared transaction message failed');
  });

  it.each([
    [
      'an offset without a record',
      { commitLogOffset: '1' },
      'Find prepared transaction message failed',
    ],
    ['another group', { producerGroup: 'other' }, 'The producer group wrong'],
    [
      'another queue offset',
      { tranStateTableOffset: '1' },
      'The transaction state table offset wrong',
    ],
  ])('is refused with 1 for %s, by a commit and a rollback', async (_, more, remark) => {
    for (const commitOrRollback of [COMMIT, ROLLBACK]) {
      expect(await end({ ...more, commitOrRollback })).toMatchObject({ code: 1, remark });
    }
    await settled();
    expect(stored()).toEqual([]);
  });

  it('is refused when the record says that it lies elsewhere', async () => {
    addRecord(8430, goldenBytes(7685));
    const answer = await end({ commitLogOffset: '8430' });
    expect(answer).toMatchObject({ code: 1, remark: 'The commit log offset wrong' });
  });

  it('is refused for a record that is no half, be it of the same group', async () => {
    addRecord(7997);
    const answer = await end({ commitLogOffset: '7997' });
    expect(answer?.remark).toBe('Find prepared transaction message failed');
  });

  it('is refused for a half without a real queue; nothing is settled', async () => {
    const record = goldenBytes(7685);
    record.write('XXXX', record.indexOf('REAL_QID'));
    addRecord(8430, record);
    broker.store.all[1]?.record.writeInt32BE(8430, 32);
    expect(await end({ commitLogOffset: '8430' })).toMatchObject({ code: 1 });
    await settled();
    expect(broker.store.puts(OP_TOPIC)).toEqual([]);
  });

  it.each(['0', '4', '5'])('with the outcome %s changes nothing and has no answer', async (it) => {
    const request = createRequest(END_TRANSACTION, fields({ commitOrRollback: it }));
    const connection = new FakeConnection(7);
    broker.controller.dispatcher.dispatch(connection as never, request);
    for (let i = 0; i < 5; i++) await settled();
    expect([connection.sent, stored()]).toEqual([[], []]);
  });

  it('is answered SLAVE_NOT_AVAILABLE by a slave, which stores nothing', async () => {
    setUp({ brokerRole: 'SLAVE', brokerId: '1' });
    expect(await end()).toMatchObject({ code: 11, remark: 'not set any response code' });
    expect(stored()).toEqual([]);
  });

  it.each([
    'producerGroup',
    'commitLogOffset',
    'tranStateTableOffset',
    'commitOrRollback',
    'msgId',
  ])('without %s is refused by its name', async (name) => {
    const { [name]: _, ...rest } = fields();
    const answer = await broker.ask(END_TRANSACTION, rest);
    expect(answer?.code).toBe(1);
    expect(answer?.remark).toContain(name);
  });

  it('keeps the text of the half, so that consumers see what the producer sent', async () => {
    await end();
    const properties = decodeProperties(stored()[0]?.properties ?? '');
    expect(properties.get('u')).toBe('v');
    expect(properties.get('REAL_TOPIC')).toBe('GoldenTran');
  });
});
