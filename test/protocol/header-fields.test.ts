import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CometError } from '../../src/base/errors.js';
import {
  optionalBoolean,
  optionalClampedLong,
  optionalInt,
  optionalLong,
  optionalString,
  requireBigLong,
  requireBoolean,
  requireClampedLong,
  requireDouble,
  requireInt,
  requireLong,
  requireString,
  requireText,
} from '../../src/protocol/header-fields.js';
import { createRequest } from '../../src/protocol/remoting-command.js';

const READERS = {
  requireString,
  requireText,
  requireInt,
  requireLong,
  requireClampedLong,
  requireBigLong,
  requireBoolean,
  requireDouble,
};

describe('a required field', () => {
  it.each(Object.entries(READERS))(
    'is named when it is missing (%s, bug report 36)',
    (_name, read) => {
      for (const fields of [null, {}, { begin: '1' }]) {
        const error = errorOf(() => read(createRequest(1, fields), 'beginTimestamp'));
        expect(error.message).toContain('"beginTimestamp"');
        expect(error.responseCode).toBe(1);
      }
    },
  );

  it.each(Object.entries(READERS))('is never one that all objects inherit (%s)', (_name, read) => {
    for (const inherited of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      expect(errorOf(() => read(createRequest(1, {}), inherited)).message).toContain(inherited);
    }
  });

  it('may be empty text, but not where text is needed', () => {
    const command = createRequest(1, { topic: '' });
    expect(requireString(command, 'topic')).toBe('');
    expect(errorOf(() => requireText(command, 'topic')).message).toContain('"topic" is empty');
    expect(errorOf(() => requireInt(command, 'topic')).message).toContain('"topic"');
  });

  it.each(['x', '1.5', '1e3', '0x10', ' 1', '2147483648', '-2147483649', '9'.repeat(30)])(
    'is named when "%s" is no int',
    (value) => {
      const error = errorOf(() => requireInt(createRequest(1, { queueId: value }), 'queueId'));
      expect(error.message).toContain('"queueId"');
      expect(error.code).toBe('PROTOCOL_FIELD_INVALID');
    },
  );

  it.each(['9007199254740993', '9223372036854775808', '-9007199254740993', '', 'x'])(
    'is refused rather than rounded when it is the long "%s" (bug report 35)',
    (value) => {
      expect(() => requireLong(createRequest(1, { offset: value }), 'offset')).toThrow(/"offset"/);
    },
  );

  it('shows no more of a long value than a remark can bear', () => {
    const error = errorOf(() => requireInt(createRequest(1, { a: 'x'.repeat(9999) }), 'a'));
    expect(error.message.length).toBeLessThan(200);
  });
});

describe('numbers', () => {
  it('are exact', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.maxSafeInteger(),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        (int, long, big) => {
          const command = createRequest(1, { int: `${int}`, long: `${long}`, big: `${big}` });
          expect(requireInt(command, 'int')).toBe(int);
          expect(requireLong(command, 'long')).toBe(long);
          expect(requireBigLong(command, 'big')).toBe(big);
        },
      ),
    );
  });

  it('are cut to the safe integers only where that was asked for', () => {
    const command = createRequest(1, {
      max: '9223372036854775807',
      min: '-9223372036854775808',
      one: '+1',
    });
    expect(requireClampedLong(command, 'max')).toBe(Number.MAX_SAFE_INTEGER);
    expect(requireClampedLong(command, 'min')).toBe(Number.MIN_SAFE_INTEGER);
    expect(requireClampedLong(command, 'one')).toBe(1);
    expect(() => requireBigLong(createRequest(1, { a: '9223372036854775808' }), 'a')).toThrow(
      /"a"/,
    );
  });
});

describe('an optional field', () => {
  it('is null when it is absent or empty', () => {
    const command = createRequest(1, { empty: '' });
    for (const name of ['empty', 'absent']) {
      expect(optionalInt(command, name)).toBeNull();
      expect(optionalLong(command, name)).toBeNull();
      expect(optionalBoolean(command, name)).toBeNull();
      expect(optionalClampedLong(command, name)).toBeNull();
    }
    expect(optionalString(command, 'absent')).toBeNull();
    expect(optionalString(command, 'empty')).toBe('');
  });

  it('is an error when it is there and wrong', () => {
    const command = createRequest(1, { a: 'yes' });
    expect(() => optionalBoolean(command, 'a')).toThrow(/"a" is neither/);
    expect(() => optionalInt(command, 'a')).toThrow(/"a" is no/);
  });

  it('takes true and false in any case', () => {
    const command = createRequest(1, { a: 'TRUE', b: 'False' });
    expect(requireBoolean(command, 'a')).toBe(true);
    expect(requireBoolean(command, 'b')).toBe(false);
  });
});

function errorOf(run: () => unknown): CometError {
  try {
    run();
  } catch (error) {
    if (error instanceof CometError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
