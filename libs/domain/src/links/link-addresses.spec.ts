import {
  isWebAddress,
  pastedAddress,
  wrongInAddress,
  isReservedSlug,
  isSlug,
  leadsBack,
  slugIn,
  type LinkAddressFields,
} from './link-addresses';

describe('a web address', () => {
  it.each(['http://example.com', 'https://example.com/a?b=c#d', 'HTTPS://EXAMPLE.com:8443/', 'http://127.0.0.1/x'])(
    'is %s',
    (text) => expect(isWebAddress(text)).toBe(true),
  );

  it.each([
    '',
    'example.com',
    '//example.com',
    '/path',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://example.com',
    'https://',
    'https://user@example.com',
    'https://a b.com',
    ' https://example.com',
    'https:example.com',
    'https://example.com/\ud800',
    'https://example.com/\u0000',
    `https://example.com/${'a'.repeat(2048)}`,
  ])('is not "%s"', (text) => expect(isWebAddress(text)).toBe(false));

  it.each([
    ['https://user@example.com', 'must not hold a user name or password'],
    ['https://example.com:0/', 'must not have port 0'],
    ['https://:secret@example.com', 'must not hold a user name or password'],
    ['https://a b.com', 'must not hold white space, control characters or halves of characters'],
    [`https://example.com/${'a'.repeat(2048)}`, 'must have at most 2048 characters, percent-encoded'],
    ['a b', 'must be an http(s) address'],
    ['https://', 'must be an http(s) address'],
    ['https://example.com/', undefined],
  ])('is wrong for a reason: %.30s', (text, reason) => expect(wrongInAddress(text)).toBe(reason));

  it('may be as long as its field allows, percent-encoded as it is sent', () => {
    const long = `https://example.com/?q=${'a'.repeat(8000)}`;
    expect([isWebAddress(long), isWebAddress(long, 8192)]).toEqual([false, true]);
    expect(isWebAddress(`https://example.com/${'ü'.repeat(1400)}`, 8192)).toBe(false);
  });

  it.each([
    [' https://example.com/a b\n', 'https://example.com/a%20b'],
    ['https://a b.com', 'https://a%20b.com'],
  ])('is taken as it was pasted: %j', (text, address) => expect(pastedAddress(text)).toBe(address));
});

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
  const on = (slug: string, to: Partial<LinkAddressFields>): LinkAddressFields => ({
    slug,
    targetUrl: 'https://example.com/',
    iosUrl: null,
    androidUrl: null,
    expiredRedirectUrl: null,
    ...to,
  });
  const to = (slug: string) => `${HOST}/${slug}`;
  const judge = (link: LinkAddressFields, ...others: readonly LinkAddressFields[]) =>
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
