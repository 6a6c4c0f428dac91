import { describe, expect, it } from 'vitest';
import { decodeMessages } from '../../../src/message/message-decoder.js';
import {
  decodeOffsetMovedEvent,
  encodeOffsetMovedEvent,
} from '../../../src/protocol/bodies/offset-moved-event.js';
import { goldenStoreFiles } from '../../golden-data.js';

describe('an offset that moved', () => {
  it('is read and written as the Java broker stored it', () => {
    const bodies = [...goldenStoreFiles('store-main.tar.gz')]
      .filter(([path]) => path.startsWith('commitlog/'))
      .flatMap(([, bytes]) => decodeMessages(bytes))
      .filter((message) => message.topic === 'OFFSET_MOVED_EVENT')
      .map((message) => message.body);
    expect(bodies.length).toBeGreaterThan(0);
    for (const body of bodies) {
      expect(encodeOffsetMovedEvent(decodeOffsetMovedEvent(body)).toString()).toBe(body.toString());
    }
  });
});
