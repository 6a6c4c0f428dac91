import { describe, expect, it } from 'vitest';
import {
  isPermitted,
  Permission,
  parsePermission,
  parseResourcePerms,
  resourcePermsFault,
} from '../../../src/broker/acl/permission.js';

const { DENY, PUB, SUB } = Permission;

describe('a permission', () => {
  it('is read from its text, and is DENY when that says anything else', () => {
    expect(['PUB', ' SUB ', 'PUB|SUB', 'SUB|PUB'].map(parsePermission)).toEqual([4, 8, 12, 12]);
    for (const text of ['DENY', '', 'ANY', 'pub', 'PUB | SUB', null]) {
      expect(parsePermission(text)).toBe(DENY);
    }
  });

  it('permits what it has a bit of, and nothing once it has DENY', () => {
    expect(isPermitted(PUB, PUB | SUB)).toBe(true);
    expect(isPermitted(SUB, PUB)).toBe(false);
    expect(isPermitted(SUB, SUB | DENY)).toBe(false);
    expect(isPermitted(PUB, 0)).toBe(false);
  });
});

describe('parseResourcePerms', () => {
  it('puts groups under their retry topics', () => {
    expect([...parseResourcePerms(['t = PUB', 'u=what'], ['g=SUB'])]).toEqual([
      ['%RETRY%g', SUB],
      ['t', PUB],
      ['u', DENY],
    ]);
  });

  it('refuses what is no resource=permission', () => {
    for (const entry of ['t', 't=', '=PUB', 't=PUB=SUB', '']) {
      expect(() => parseResourcePerms([entry], [])).toThrow('Parse resource permission failed');
      expect(() => parseResourcePerms([], [entry])).toThrow(`group:${entry}`);
    }
  });
});

describe('resourcePermsFault', () => {
  it('finds nothing wrong with what Java takes, DENY included', () => {
    expect(resourcePermsFault(['t=DENY', 'u=PUB|SUB', 'v= SUB'])).toBeNull();
  });

  it('says in Java words what is wrong', () => {
    expect(resourcePermsFault(['t=PUB', 'u'])).toMatch(/^Parse Resource format error for u\./);
    expect(resourcePermsFault(['t=ANY'])).toMatch(/^Parse resource permission error for t=ANY\./);
  });
});
