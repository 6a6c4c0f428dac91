import { describe, expect, it } from 'vitest';
import { AppendRequest } from '../../src/store/commitlog/append-request.js';
import type { MessageToPut } from '../../src/store/message-store.js';
import { PutMessageStatus } from '../../src/store/put-message.js';
import {
  decodePut,
  decodePutResult,
  encodePutResult,
  PutAnswer,
  putSize,
  writePut,
} from '../../src/workers/put-record.js';

const message: MessageToPut = {
  topic: 'Tópic',
  queueId: 3,
  flag: -7,
  sysFlag: 8,
  bornTimestamp: 1_796_133_112_749,
  bornHost: Buffer.from([127, 0, 0, 1]),
  bornPort: 59_958,
  reconsumeTimes: 2,
  preparedTransactionOffset: 2 ** 40 + 5,
  body: Buffer.from('body'),
  properties: 'TAGS\u0001ä',
  waitStoreMsgOk: false,
};

function roundTrip(changes: Partial<MessageToPut> = {}) {
  const full = { ...message, ...changes };
  const bytes = Buffer.alloc(8 + putSize(full));
  writePut(bytes, 8, 42, full);
  const request = new AppendRequest();
  request.useOwnStoreHost();
  const put = decodePut(bytes, 8, request);
  const { bodyStart, bodyLength } = request;
  return { put, request, body: bytes.toString('utf8', bodyStart, bodyStart + bodyLength) };
}

describe('a put on its way to the commitlog worker', () => {
  it('keeps every field', () => {
    const { put, request, body } = roundTrip();
    expect(put).toMatchObject({ requestId: 42, propertiesText: message.properties });
    expect(body).toBe('body');
    expect(request).toMatchObject({
      topic: message.topic,
      queueId: 3,
      flag: -7,
      sysFlag: 8,
      bornTimestamp: message.bornTimestamp,
      bornPort: 59_958,
      reconsumeTimes: 2,
      preparedTransactionOffset: 2 ** 40 + 5,
    });
    expect(request.storeHost).toHaveLength(0);
  });

  it('tells apart who waits and whose delay is served', () => {
    const flags = (changes: Partial<MessageToPut>) => {
      const { waitStoreMsgOk, isDelayServed } = roundTrip(changes).put;
      return [waitStoreMsgOk, isDelayServed];
    };
    expect(flags({})).toEqual([false, false]);
    expect(flags({ waitStoreMsgOk: true })).toEqual([true, false]);
    expect(flags({ isDelayServed: true })).toEqual([false, true]);
  });

  it('keeps hosts of both kinds', () => {
    const v6 = Buffer.from('20010db8000000000000000000000001', 'hex');
    const { request } = roundTrip({ bornHost: v6, storeHost: { address: v6, port: 6 } });
    expect(Buffer.from(request.bornHost)).toEqual(v6);
    expect([Buffer.from(request.storeHost), request.storePort]).toEqual([v6, 6]);
  });
});

describe('the answer to a put', () => {
  it('keeps positions beyond 32 bits', () => {
    const result = {
      requestId: 7,
      status: PutMessageStatus.PUT_OK,
      waitFor: 3,
      wroteEnd: 2 ** 41 + 3,
      queueOffset: 2 ** 33,
      physicalOffset: 2 ** 41,
      storeTimestamp: 1_796_133_112_750,
    };
    const bytes = Buffer.alloc(64);
    encodePutResult(bytes, 8, result);
    expect(decodePutResult(bytes, 8)).toEqual(result);
  });

  it('has a message id when the record was appended, whatever became of it since', () => {
    const record = {
      requestId: 7,
      status: PutMessageStatus.PUT_OK as PutMessageStatus,
      waitFor: 1,
      wroteEnd: 200,
      queueOffset: 1,
      physicalOffset: 100,
      storeTimestamp: 5,
    };
    const idOf = (offset: number) => `ID${offset}`;
    const late = new PutAnswer(record, PutMessageStatus.FLUSH_DISK_TIMEOUT, idOf);
    expect([late.status, late.msgId, late.wroteEnd]).toEqual([1, 'ID100', 200]);
    const refused = { ...record, status: PutMessageStatus.MESSAGE_ILLEGAL };
    expect(new PutAnswer(refused, refused.status, idOf).msgId).toBe('');
  });
});
