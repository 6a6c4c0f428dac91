import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CometError } from '../../../src/base/errors.js';
import {
  decodeRegisterBody,
  encodeRegisterBody,
  registerBodyCrc,
} from '../../../src/protocol/bodies/register-broker-body.js';
import { encodeTopicConfigSerializeWrapper } from '../../../src/protocol/bodies/topic-config.js';
import { decodeFrame } from '../../../src/protocol/frame-codec.js';
import { requireInt } from '../../../src/protocol/header-fields.js';
import { CURRENT_VERSION } from '../../../src/protocol/mq-version.js';
import { frameBytes, goldenFrames } from '../../golden-data.js';

const registrations = goldenFrames()
  .filter(
    (frame) => frame.name.startsWith('REGISTER_BROKER.') && frame.direction === 'broker->namesrv',
  )
  .map((frame) => decodeFrame(frameBytes(frame)));

describe('the body of a registration', () => {
  it('is read and written as Java does, with the same checksum', () => {
    expect(registrations.length).toBeGreaterThan(3);
    for (const request of registrations) {
      const body = decodeRegisterBody(request.body, request.version, false);
      const { topicConfigSerializeWrapper, filterServerList } = body;
      const again = encodeRegisterBody(topicConfigSerializeWrapper, filterServerList, false);
      expect(again.bytes.toString()).toBe(request.body?.toString());
      expect(again.crc32).toBe(requireInt(request, 'bodyCrc32'));
    }
  });

  it('loses only order and topicSysFlag when it is compressed', () => {
    for (const request of registrations) {
      const plain = decodeRegisterBody(request.body, request.version, false);
      const wrapper = plain.topicConfigSerializeWrapper;
      const { bytes, crc32, compressed } = encodeRegisterBody(wrapper, ['1.2.3.4:5'], true);
      expect(compressed).toBe(true);
      expect(crc32).toBe(registerBodyCrc(bytes));
      const again = decodeRegisterBody(bytes, CURRENT_VERSION, true);
      expect(again.filterServerList).toEqual(['1.2.3.4:5']);
      expect(again.topicConfigSerializeWrapper).toEqual({
        ...wrapper,
        topicConfigTable: new Map(
          [...wrapper.topicConfigTable].map(([topic, row]) => [
            topic,
            { ...row, order: false, topicSysFlag: 0 },
          ]),
        ),
      });
    }
  });

  it('is a bare table of topics from requesters below V3_0_11', () => {
    const { topicConfigSerializeWrapper: wrapper } = decodeRegisterBody(
      registrations[0]?.body ?? null,
      CURRENT_VERSION,
      false,
    );
    expect(wrapper.topicConfigTable.size).toBeGreaterThan(0);
    const old = decodeRegisterBody(encodeTopicConfigSerializeWrapper(wrapper), 36, false);
    expect(old).toEqual({ topicConfigSerializeWrapper: wrapper, filterServerList: [] });
  });

  it('names no topics when it is missing', () => {
    const { topicConfigSerializeWrapper } = decodeRegisterBody(null, CURRENT_VERSION, true);
    expect(topicConfigSerializeWrapper).toEqual({
      dataVersion: { counter: 0, timestamp: 0 },
      topicConfigTable: new Map(),
    });
  });

  it('throws only catalogue errors when a compressed body is damaged', () => {
    const first = registrations[0];
    const plain = decodeRegisterBody(first?.body ?? null, CURRENT_VERSION, false);
    const { bytes } = encodeRegisterBody(plain.topicConfigSerializeWrapper, [], true);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (position, value) => {
        const damaged = Buffer.from(bytes);
        damaged[position] = value;
        try {
          decodeRegisterBody(damaged, CURRENT_VERSION, true);
        } catch (error) {
          expect(error).toBeInstanceOf(CometError);
        }
      }),
    );
  });
});
