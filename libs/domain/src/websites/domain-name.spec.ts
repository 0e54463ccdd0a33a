import { domainNameOf } from './website.decider';

describe('a domain name', () => {
  it.each([
    ['example.com', 'example.com'],
    [' Example.COM ', 'example.com'],
    ['https://shop.example.com:8443/a?b#c', 'shop.example.com'],
    ['example.com.', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['localhost:3000', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
  ])('is found in %s', (text, name) => expect(domainNameOf(text)).toBe(name));

  it.each([
    '',
    ' ',
    'a b.com',
    'ftp://example.com',
    'javascript:alert(1)',
    'user@example.com',
    '-a.com',
    'a..b',
    `${'a'.repeat(64)}.com`,
  ])('is not found in "%s"', (text) => expect(domainNameOf(text)).toBeUndefined());
});
