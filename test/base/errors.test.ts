import { describe, expect, it } from 'vitest';
import { CometError, cometError, ErrorCatalogue, isCometError } from '../../src/base/errors.js';

describe('a CometError', () => {
  it('carries what the catalogue says of its code, the detail and the cause', () => {
    const cause = new Error('EIO');
    const error = cometError('TOPIC_NOT_EXIST', 'topic[T]', cause);
    expect(error).toBeInstanceOf(CometError);
    expect(error).toMatchObject({ code: 'TOPIC_NOT_EXIST', category: 'reject', responseCode: 17 });
    expect(error.message).toBe('the topic does not exist: topic[T]');
    expect(error.cause).toBe(cause);
  });

  it('can be told from other errors, and by its code', () => {
    expect(isCometError(cometError('SHUTDOWN'), 'SHUTDOWN')).toBe(true);
    expect(isCometError(cometError('SHUTDOWN'), 'DISK_FULL')).toBe(false);
    expect(isCometError(new Error('x'))).toBe(false);
  });
});

describe('the catalogue', () => {
  it('gives each code a text of its own', () => {
    const texts = Object.values(ErrorCatalogue).map((entry) => entry.text);
    expect(new Set(texts).size).toBe(texts.length);
  });
});
