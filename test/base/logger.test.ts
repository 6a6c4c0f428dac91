import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
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
  it('is JSON on stderr, written before the process ends', () => {
    const script = `import { pino, destination } from 'pino';
      const log = pino({ base: null }, destination({ dest: 2, sync: true }));
      log.info({ err: new Error('cause') }, 'last words'); process.abort();`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    const line = JSON.parse(stderr.split('\n')[0] ?? '') as {
      msg: string;
      err: { message: string };
    };
    expect(line.msg).toBe('last words');
    expect(line.err.message).toBe('cause');
  });
});
