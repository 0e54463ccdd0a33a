import { globExpression, matchesGlob } from '@ledgerline/contracts/glob';

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

  it.each(['*a*b**c', '**a*b', 'a**b*/', '*/**/*a', '**', '*/*'])('matches as its expression does: %s', (pattern) => {
    const expression = new RegExp(globExpression(pattern), 's');
    expect(textsOf('ab/c', 5).filter((text) => matchesGlob(pattern, text) !== expression.test(text))).toEqual([]);
  });

  it('is decided soon, whatever it is', () =>
    expect(matchesGlob('*a'.repeat(200), `${'a'.repeat(1_000)}b`)).toBe(false));

  it('with more signs than a text has is not compared with it', () => {
    const signs = jest.spyOn(String.prototype, Symbol.iterator);
    expect([matchesGlob('*a'.repeat(1_000), 'a'.repeat(999)), signs.mock.calls.length]).toEqual([false, 0]);
    expect(matchesGlob('*a*'.repeat(3), 'aaa')).toBe(true);
    expect(signs).toHaveBeenCalled();
    signs.mockRestore();
  });
});

/** Every text of these letters up to a length. */
const textsOf = (letters: string, length: number): readonly string[] =>
  length === 0
    ? ['']
    : ['', ...textsOf(letters, length - 1).flatMap((text) => letters.split('').map((each) => text + each))];
