import { expect, test } from 'vitest';
import { createMessageId } from '../../src/message/message-id.js';
import { messageIdPrefix } from '../../src/processor/message-id-prefix.js';

test.each([4, 16])(
  'with the offset behind it is the message id, for an address of %i bytes',
  (n) => {
    const address = Buffer.alloc(n, 0xab);
    const prefix = messageIdPrefix(address, 10_911);
    expect(`${prefix}00000000000000FF`).toBe(createMessageId(address, 10_911, 255));
  },
);
