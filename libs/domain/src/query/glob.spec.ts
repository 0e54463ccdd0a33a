import { globExpression, matchesGlob } from './glob';

describe('a glob', () => {
  it.each([
    ['/docs/**', '/docs/', true],
    ['/docs/**', '/docs/a/b', true],
    ['/docs/**', '/docs', false],
    ['/docs/*', '/docs/a', true],
    ['/docs/*', '/docs/', true],
    ['/docs/*', '/docs/a/b', false],
    ['/*/b', '/a/b', true],
    ['/*/b', '/a/a/b', false],
    ['**b', '/a/a/b', true],
    ['***', '/a', true],
    ['/a', '/a', true],
    ['/a', '/A', false],
    ['/a.b', '/aXb', false],
    ['(a|b)+[c]\\\\n?$^', '(a|b)+[c]\\\\n?$^', true],
    ['ü*', 'über', true],
    ['', '', true],
    ['*', '', true],
    ['', 'a', false],
    ['a*', 'ba', false],
  ])('%j of %j is %s, as an expression of Postgres, too', (pattern, text, expected) => {
    expect(matchesGlob(pattern, text)).toBe(expected);
    expect(new RegExp(globExpression(pattern), 's').test(text)).toBe(expected); // one of JavaScript, too
  });

  it('is decided soon, whatever it is', () =>
    expect(matchesGlob('*a'.repeat(200), `${'a'.repeat(1_000)}b`)).toBe(false));
});
