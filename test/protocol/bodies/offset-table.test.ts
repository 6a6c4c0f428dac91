import { describe, expect, it } from 'vitest';
import {
  decodeConsumerOffsetTable,
  decodeCorrectionOffsets,
  decodeDelayOffsetTable,
  encodeConsumerOffsetTable,
  encodeCorrectionOffsets,
  encodeDelayOffsetTable,
} from '../../../src/protocol/bodies/offset-table.js';
import { roundTrips } from './golden-bodies.js';

describe('a table with numbers as keys', () => {
  it('is read and written as Java does in GET_ALL_CONSUMER_OFFSET.response', () => {
    const { java, ours } = roundTrips(
      'GET_ALL_CONSUMER_OFFSET.response',
      decodeConsumerOffsetTable,
      encodeConsumerOffsetTable,
    );
    expect(ours).toEqual(java);
  });

  it('is read and written as Java does in GET_ALL_DELAY_OFFSET.response', () => {
    const { java, ours } = roundTrips(
      'GET_ALL_DELAY_OFFSET.response',
      decodeDelayOffsetTable,
      encodeDelayOffsetTable,
    );
    expect(ours).toEqual(java);
  });

  it('is written with bare keys and read with bare or quoted ones', () => {
    const table = new Map([
      [
        'T@g',
        new Map([
          [0, 5],
          [1, -1],
        ]),
      ],
    ]);
    const text = encodeConsumerOffsetTable(table).toString();
    expect(text).toBe('{"offsetTable":{"T@g":{0:5,1:-1}}}');
    expect(decodeConsumerOffsetTable(text)).toEqual(table);
    expect(decodeConsumerOffsetTable('{"offsetTable":{"T@g":{"0":5,"1":-1}}}')).toEqual(table);
    const offsets = decodeCorrectionOffsets(encodeCorrectionOffsets(new Map([[3, 7]])));
    expect([...offsets]).toEqual([[3, 7]]);
  });

  it('is refused rather than rounded when an offset is too large', () => {
    expect(() => decodeDelayOffsetTable('{"offsetTable":{1:9007199254740993}}')).toThrow(
      /offsetTable/,
    );
  });
});
