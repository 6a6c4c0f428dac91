import fs from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { getLogger, setLogLevel } from '../../src/base/logger.js';

afterEach(() => setLogLevel('info'));

describe('getLogger', () => {
  it('gives the same logger for the same name', () => {
    expect(getLogger('a.b')).toBe(getLogger('a.b'));
  });

  it('follows the level of the thread, also after it was made', () => {
    const log = getLogger('level');
    expect([log.isLevelEnabled('debug'), log.isLevelEnabled('info')]).toEqual([false, true]);
    setLogLevel('debug');
    expect(log.isLevelEnabled('debug')).toBe(true);
    setLogLevel('silent');
    expect(log.isLevelEnabled('error')).toBe(false);
  });

  it('does not look at the fields of a line that is off', () => {
    setLogLevel('error');
    const fields = {
      get costly(): string {
        throw new Error('looked at');
      },
    };
    expect(() => getLogger('off').info('x', fields)).not.toThrow();
    setLogLevel('silent');
    expect(() => getLogger('off').error('x', fields)).not.toThrow();
  });
});

describe('a line', () => {
  it('is JSON on stderr, written before the call returns, with its error', () => {
    const written: string[] = [];
    const spy = vi.spyOn(fs, 'writeSync').mockImplementation((fd: number, text: unknown) => {
      if (fd === 2) written.push(String(text));
      return Buffer.byteLength(String(text));
    });
    try {
      getLogger('store').error('last words', { err: new Error('cause'), path: '/x' });
    } finally {
      spy.mockRestore();
    }
    expect(JSON.parse(written.join(''))).toMatchObject({
      level: 'error',
      logger: 'store',
      msg: 'last words',
      path: '/x',
      err: { message: 'cause' },
    });
  });
});
