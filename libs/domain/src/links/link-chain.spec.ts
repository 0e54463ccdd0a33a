import { leadsBack, slugIn, type Addresses } from './link-chain';

const HOST = 'https://go.example';

describe('an address', () => {
  it.each([
    [`${HOST}/a`, 'a'],
    ['http://GO.example:80/a/?x=1#y', 'a'],
    ['https://GO.example:443//a/?x=1#y', 'a'],
    [`${HOST}/%61%2D%31`, 'a-1'],
    ['https://go.example./a', 'a'],
    [`${HOST}/`, undefined],
    [`${HOST}/a/b`, undefined],
    ['https://other.example/a', undefined],
    ['market://details?id=a', undefined],
  ])('%s is the short link %p', (address, slug) => expect(slugIn(address, HOST)).toBe(slug));

  it('is one below the path of the tracking host, where that has one', () => {
    expect(slugIn('https://example.com/go/a', 'https://example.com/go/')).toBe('a');
    expect(slugIn('https://example.com/a', 'https://example.com/go')).toBeUndefined();
  });
});

describe('a link', () => {
  const on = (slug: string, to: Partial<Addresses>): Addresses => ({
    ...{ slug, targetUrl: 'https://example.com/', iosUrl: null, androidUrl: null, expiredRedirectUrl: null },
    ...to,
  });
  const to = (slug: string) => `${HOST}/${slug}`;
  const judge = (link: Addresses, ...others: readonly Addresses[]) =>
    leadsBack(link, HOST, (slug) => Promise.resolve(others.find((each) => each.slug === slug)));

  it('leads back to itself at once, or over others, on one system or once it has expired', async () => {
    expect(await judge(on('a', { targetUrl: to('a') }))).toBe(true);
    expect(await judge(on('a', { targetUrl: to('b') }), on('b', { targetUrl: to('a') }))).toBe(true);
    expect(await judge(on('a', { iosUrl: to('b') }), on('b', { targetUrl: to('a') }))).toBe(true);
    expect(await judge(on('a', { expiredRedirectUrl: to('a') }))).toBe(true);
  });

  it('does not where it ends elsewhere', async () => {
    expect(await judge(on('a', {}))).toBe(false);
    expect(await judge(on('a', { targetUrl: to('unknown') }))).toBe(false);
    expect(await judge(on('a', { targetUrl: to('A') }), on('A', {}))).toBe(false);
    const elsewhere = on('b', { targetUrl: to('a'), iosUrl: 'https://apps.example/' });
    expect(await judge(on('a', { iosUrl: to('b') }), elsewhere)).toBe(false);
  });

  it('is as bad with more short links on its way than browsers follow, or others that lead in a circle', async () => {
    const chain = Array.from({ length: 12 }, (_, at) => on(`s${at}`, { targetUrl: to(`s${at + 1}`) }));
    expect(await judge(on('a', { targetUrl: to('s0') }), ...chain)).toBe(true);
    expect(await judge(on('a', { targetUrl: to('s5') }), ...chain)).toBe(false);
    expect(await judge(on('a', { targetUrl: to('b') }), on('b', { targetUrl: to('b') }))).toBe(true);
  });
});
