import { describe, expect, it } from 'vitest';
import { rewriteHalf, wholeProperties } from '../../src/processor/internal-topics.js';
import { decodeFrame } from '../../src/protocol/frame-codec.js';
import { AppendRequest } from '../../src/store/commitlog/append-request.js';
import { goldenRecord } from '../broker/transaction/golden-transaction.js';
import { frameBytes, goldenFrames } from '../golden-data.js';

describe('a half message', () => {
  it("goes to the half topic with the text that Java's broker stored for the same send", () => {
    const frame = goldenFrames().find((it) => it.ex === 'json-client-broker-310-2-0');
    if (frame === undefined) throw new Error('no golden frame');
    const fields = decodeFrame(frameBytes(frame)).extFields ?? {};
    const request = new AppendRequest();
    request.topic = fields['b'] ?? '';
    request.queueId = Number(fields['e']);
    request.sysFlag = Number(fields['f']);
    rewriteHalf(request, wholeProperties(fields['i'] ?? '', 'GoldenCluster'));
    const { propertiesStart, propertiesLength } = request;
    const text = Buffer.from(request.properties).toString(
      'utf8',
      propertiesStart,
      propertiesStart + propertiesLength,
    );
    const golden = goldenRecord(7685);
    expect(text).toBe(golden.propsRaw);
    expect(request).toMatchObject({ topic: golden.topic, queueId: 0, sysFlag: 0 });
  });
});

describe('the whole properties', () => {
  it('have CLUSTER behind what the client sent, and WAIT behind that', () => {
    expect(wholeProperties('', 'c')).toBe('CLUSTER\u0001c');
    expect(wholeProperties('a\u00011\u0002', 'c')).toBe('a\u00011\u0002CLUSTER\u0001c');
    const text = 'WAIT\u0001false\u0002WAITER\u00011';
    expect(wholeProperties(text, 'c')).toBe(
      'WAITER\u00011\u0002CLUSTER\u0001c\u0002WAIT\u0001false',
    );
  });
});
