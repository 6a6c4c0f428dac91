import { describe, expect, it } from 'vitest';
import { languageCode, languageName } from '../../src/protocol/language-code.js';

describe('languages', () => {
  it('have the codes of Java', () => {
    const names = 'JAVA CPP DOTNET PYTHON DELPHI ERLANG RUBY OTHER HTTP GO PHP OMS RUST'.split(' ');
    expect(names.map(languageCode)).toEqual(names.map((_, i) => i));
    expect(names.map((_, i) => languageName(i))).toEqual(names);
  });

  it('are OTHER when nobody knows them', () => {
    expect([languageName(13), languageName(255), languageName(-1)]).toEqual(Array(3).fill('OTHER'));
    expect(languageCode('toString')).toBe(7);
  });
});
