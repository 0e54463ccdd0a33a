import { closest, holdsTyped, nearestValue } from './suggestion';

describe('a suggestion', () => {
  const names = ['top_pages', 'top_referrers', 'country', 'city'];

  it('is the name that was probably meant', () => {
    expect(closest('top_page', names)).toBe('top_pages');
    expect(closest('Top_Referers', names)).toBe('top_referrers');
    expect(closest('countries', names)).toBe('country');
  });

  it('allows a short word few edits', () => {
    const short = ['op', 'id', 'page', 'limit', 'city'];
    for (const word of ['x', 'to', 'ip', 'idx', 'lame']) expect(closest(word, short)).toBeUndefined();
    expect(closest('OP', short)).toBe('op');
    expect(closest('citi', short)).toBe('city');
    expect(closest('pages', short)).toBe('page');
    expect(closest('limmitt', short)).toBe('limit');
  });

  it('is none when nothing is close', () => {
    expect(closest('bounce_rate', names)).toBeUndefined();
    expect(closest('x'.repeat(100_000), names)).toBeUndefined();
  });
});

describe('the nearest known value', () => {
  it.each([
    ['/pricing/', '/pricing'],
    ['Pricing', '/pricing'],
    ['/pricng', '/pricing'],
    ['/blog', '/blog/first'],
    ['google', 'Google'],
    ['google.com', 'Google'],
    [' GOOGEL ', 'Google'],
    ['de', 'de-DE'],
    ['/gro\u0308\u00dfe/', '/gr%C3%B6%C3%9Fe'],
  ])('to %j is %j', (text, value) => expect(nearestValue(text, KNOWN)).toBe(value));

  it.each(['', '/', 'blo', 'something else', 'goo'])('to %j is none', (text) =>
    expect(nearestValue(text, KNOWN)).toBeUndefined(),
  );
});

const named = (value: string, ...others: string[]) => ({ value, spellings: [value, ...others] });
const KNOWN = [
  named('/gr%C3%B6%C3%9Fe'),
  ...['/pricing', '/blog/first', '/blog/second', 'de-DE'].map((value) => named(value)),
  named('Google', 'google.com'),
];

describe('a value is suggested', () => {
  it.each([
    ['/gr%C3%B6%C3%9Fe', 'Gro\u0308\u00df', true],
    ['/gr%C3%B6%C3%9Fe', '%c3%b6', true],
    ['www.xn--bcher-kva.example', ' Bücher.example ', true],
    ['/%ff%zz', '%FF', true],
    ['über', 'U\u0308', true],
    ['/a', 'b', false],
    ['/a', 'ü b', false],
    ['/a', '', true],
  ])('%s for %j: %s', (value, typed, isFound) => expect(holdsTyped(value, typed)).toBe(isFound));
});
