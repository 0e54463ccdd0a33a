import { isWebAddress, pastedAddress, wrongInAddress } from './web-address';

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
