import { contextOf, KEY, WEBSITE } from '@test/tracker/intake-context-of';
import { checkOrigin } from './check-origin.step';

describe('the origin of a browser’s request', () => {
  const taken = (origin: string | null, caller: typeof KEY | null = null): boolean => {
    const context = contextOf({ name: 'a' }, { website: WEBSITE, origin, caller });
    checkOrigin(context);
    return context.items.length === 1;
  };

  it.each([
    null,
    'https://example.com',
    'http://example.com:8080',
    'https://www.example.com',
    'https://partner.org',
    'https://example.com.',
    'https://partner.org.:8443',
  ])('may be %s', (origin) => expect(taken(origin)).toBe(true));

  it.each([
    'null',
    'https://.',
    'https://example.org',
    'https://example.com.evil.org',
    'https://notexample.com',
    'https://sub.partner.org',
  ])('may not be %s', (origin) => expect(taken(origin)).toBe(false));

  it('does not matter with a key', () => expect(taken('https://evil.org', KEY)).toBe(true));
});
