import type { Link } from '@ledgerline/contracts/records';
import { destinationOf, isExpired } from './destination';

describe('the destination of a link', () => {
  it('is the target, but the store of the phone where there is one', () => {
    const link = linkTo('https://a.org/', { iosUrl: 'https://ios', androidUrl: null });
    expect(destinationOf(link, 'iOS', '')).toBe('https://ios/');
    expect(destinationOf(link, 'Android', '')).toBe('https://a.org/');
    expect(destinationOf(link, null, '')).toBe('https://a.org/');
  });

  it.each([
    ['https://a.org/', 'utm_source=x&y=1', 'https://a.org/?utm_source=x'],
    ['https://a.org/?q=1#top', 'utm_source=x&utm_medium=a%20b', 'https://a.org/?q=1&utm_source=x&utm_medium=a+b#top'],
    ['https://a.org/?utm_campaign=own', 'utm_source=x', 'https://a.org/?utm_campaign=own'],
    ['https://a.org', 'y=1', 'https://a.org/'],
    [
      'https://a.org/s?q=a%20b&flag&n=%E4&sig=a~c&t=a+b',
      'utm_source=x&y=1&utm_term=a%26b',
      'https://a.org/s?q=a%20b&flag&n=%E4&sig=a~c&t=a+b&utm_source=x&utm_term=a%26b',
    ],
    ['https://a.org/?#top', 'utm_source=x', 'https://a.org/?utm_source=x#top'],
    ['https://a.org/?q=1&', 'utm_source=x', 'https://a.org/?q=1&utm_source=x'],
    ['https://a.org/s?q=a b', 'y=1&not_utm_=x', 'https://a.org/s?q=a%20b'],
    ['market://details?id=a~b', 'utm_source=%E4', 'market://details?id=a~b&utm_source=%EF%BF%BD'],
    ['https://bücher.de/größe?für=ü#ß', '', 'https://xn--bcher-kva.de/gr%C3%B6%C3%9Fe?f%C3%BCr=%C3%BC#%C3%9F'],
    ['https://a.org/größe?utm_id=ü', 'utm_source=x', 'https://a.org/gr%C3%B6%C3%9Fe?utm_id=%C3%BC'],
    ['market://größe', 'y=1', 'market://gr%C3%B6%C3%9Fe'],
  ])('%s with ?%s', (target, query, destination) =>
    expect(destinationOf(linkTo(target), null, query)).toBe(destination),
  );

  it('is over from the very moment the link expires', () => {
    const link = { expiresAt: '2026-01-01T00:00:00.000Z' };
    expect(isExpired(link, Date.parse('2025-12-31T23:59:59.999Z'))).toBe(false);
    expect(isExpired(link, Date.parse('2026-01-01T00:00:00.000Z'))).toBe(true);
    expect(isExpired({ expiresAt: null }, Infinity)).toBe(false);
  });
});

function linkTo(targetUrl: string, stores: Partial<Link> = {}): Link {
  return { targetUrl, iosUrl: null, androidUrl: null, ...stores } as Link;
}
