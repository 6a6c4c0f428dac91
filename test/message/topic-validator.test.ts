import { describe, expect, it } from 'vitest';
import {
  isFolderName,
  isForbiddenToSend,
  isSystemTopic,
  validateGroup,
  validateTopic,
} from '../../src/message/topic-validator.js';

describe('validateTopic', () => {
  it.each(['T', '%RETRY%g', 'a|b-c_D9', 'x'.repeat(127), '%LMQ%a'])('accepts %s', (topic) => {
    expect(validateTopic(topic)).toEqual({ ok: true });
  });

  it.each(['', ' ', '\t'])('refuses the blank name "%s" with the text of Java', (topic) => {
    expect(validateTopic(topic)).toEqual({ ok: false, remark: 'The specified topic is blank.' });
  });

  it.each([
    '../../../../probe',
    '..',
    'a/b',
    '%LMQ%a/1',
    'a\\b',
    'a.b',
    'a b',
    'a\u0000',
    '主题',
    'T\n',
    'a:b',
  ])('refuses %j, which could leave the store (bug report 25)', (topic) => {
    expect(validateTopic(topic)).toEqual({
      ok: false,
      remark: 'The specified topic contains illegal characters, allowing only ^[%|a-zA-Z0-9_-]+$',
    });
  });

  it('refuses 128 characters', () => {
    expect(validateTopic('x'.repeat(128))).toEqual({
      ok: false,
      remark: 'The specified topic is longer than topic max length.',
    });
  });
});

describe('validateGroup', () => {
  it('allows 255 characters of the same kinds', () => {
    expect(validateGroup('g'.repeat(255)).ok).toBe(true);
    for (const group of ['', 'g'.repeat(256), 'g/h', '../g']) {
      expect(validateGroup(group).ok).toBe(false);
    }
  });
});

describe('the topics of the system', () => {
  it('include every name with the prefix of the system', () => {
    expect(isSystemTopic('rmq_sys_anything')).toBe(true);
    expect(isSystemTopic('TBW102')).toBe(true);
    expect(isSystemTopic('T')).toBe(false);
  });

  it('are open to sends but for six of them', () => {
    expect(isForbiddenToSend('SCHEDULE_TOPIC_XXXX')).toBe(true);
    expect(isForbiddenToSend('RMQ_SYS_TRACE_TOPIC')).toBe(false);
    expect(isForbiddenToSend('TBW102')).toBe(false);
  });
});

describe('isFolderName', () => {
  it('is false for what leads elsewhere, or nowhere', () => {
    for (const name of ['', '.', '..', '../x', '/x', 'a/b', 'a\0b']) {
      expect(isFolderName(name)).toBe(false);
    }
    for (const name of ['T', '%LMQ%a.b', '...', 'a..b', '%RETRY%g']) {
      expect(isFolderName(name)).toBe(true);
    }
  });
});
