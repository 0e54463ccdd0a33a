import { nearestValue } from './nearest-value';

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
  ])('to %j is %j', (text, value) => expect(nearestValue(text, KNOWN)).toBe(value));

  it.each(['', '/', 'blo', 'something else', 'goo'])('to %j is none', (text) =>
    expect(nearestValue(text, KNOWN)).toBeUndefined(),
  );
});

const named = (value: string, ...others: string[]) => ({ value, spellings: [value, ...others] });
const KNOWN = [
  ...['/pricing', '/blog/first', '/blog/second', 'de-DE'].map((value) => named(value)),
  named('Google', 'google.com'),
];
