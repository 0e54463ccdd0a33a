import type { Link } from '@ledgerline/contracts/records';
import { destinationOf, isExpired } from './redirect.controller';

describe('the destination of a link', () => {
  it('is the target, but the store of the phone where there is one', () => {
    const link = linkTo('https://a.org/', { iosUrl: 'https://ios', androidUrl: null });
    expect(destinationOf(link, 'iOS', '')).toBe('https://ios/');
    expect(destinationOf(link, 'Android', '')).toBe('https://a.org/');
    expect(destinationOf(link, null, '')).toBe('https://a.org/');
  });

  it.each([
    ['https://a.org/', 'utm_source=x&y=1', 'https://a.org/?utm_source=x&y=1'],
    ['https://a.org/?q=1#top', 'ref=x&q=2&b=a%20b', 'https://a.org/?q=1&ref=x&b=a%20b#top'],
    ['https://a.org/?utm_campaign=own', 'utm_campaign=x&%75tm_campaign=y', 'https://a.org/?utm_campaign=own'],
    ['https://a.org', '&&flag', 'https://a.org/?flag'],
    [
      'https://a.org/s?q=a%20b&flag&n=%E4&sig=a~c&t=a+b',
      'fbclid=x&flag=1&utm_term=a%26b',
      'https://a.org/s?q=a%20b&flag&n=%E4&sig=a~c&t=a+b&fbclid=x&utm_term=a%26b',
    ],
    ['https://a.org/?#top', 'utm_source=x', 'https://a.org/?utm_source=x#top'],
    ['https://a.org/?q=1&', 'utm_source=x', 'https://a.org/?q=1&utm_source=x'],
    ['market://details?id=a~b', 'id=c&referrer=%E4', 'market://details?id=a~b&referrer=%E4'],
    ['https://bücher.de/größe?für=ü#ß', '', 'https://xn--bcher-kva.de/gr%C3%B6%C3%9Fe?f%C3%BCr=%C3%BC#%C3%9F'],
    ['https://a.org/größe?utm_id=ü', 'utm_id=x', 'https://a.org/gr%C3%B6%C3%9Fe?utm_id=%C3%BC'],
    ['market://größe', '', 'market://gr%C3%B6%C3%9Fe'],
  ])('%s with ?%s', (target, query, destination) =>
    expect(destinationOf(linkTo(target), null, query)).toBe(destination),
  );

  it('keeps its own query string where the link forwards none', () =>
    expect(destinationOf(linkTo('https://a.org/?q=1', { forwardQuery: false }), null, 'b=2')).toBe(
      'https://a.org/?q=1',
    ));

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
