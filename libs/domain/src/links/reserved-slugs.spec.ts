import { isReservedSlug, isSlug } from './reserved-slugs';

describe('a slug', () => {
  it('is no name of a route or of what crawlers ask for, in any case', () => {
    for (const name of ['track', 'Batch', 'health', 'robots.txt', 'favicon.ico', '.well-known'])
      expect(isReservedSlug(name)).toBe(true);
    expect(isReservedSlug('tracks')).toBe(false);
  });

  it('has 1 to 50 letters, digits, dashes and underscores', () => {
    expect(['a', 'A-b_9', 'x'.repeat(50)].every(isSlug)).toBe(true);
    expect(['x'.repeat(51), 'a.b', 'a b', 'ä€x', '', 'abc\n'].some(isSlug)).toBe(false);
  });
});
