import { parsePage } from '../../parse';
import { combined } from './combined';
import type { LoggedRequest } from './logged-request';

const REST = '- - [17/May/2015:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "x"';

describe('a line of an access log', () => {
  it('has address, time, request, referrer and user agent', () =>
    expect(
      read(
        '2001:db8::1 - frank [10/Oct/2000:13:55:36 -0730] "GET /a?b=c HTTP/1.0" 200 2326 "http://x.org/" "A \\"quoted\\" agent" extra',
      ),
    ).toEqual({
      host: null,
      address: '2001:db8::1',
      at: Date.parse('2000-10-10T21:25:36Z'),
      method: 'GET',
      target: '/a?b=c',
      status: 200,
      referrer: 'http://x.org/',
      userAgent: 'A "quoted" agent',
    }));

  it('may lack referrer and user agent', () =>
    expect(read('::1 - - [29/Feb/2016:00:00:00 +0000] "HEAD / HTTP/1.1" 304 - "-" ""')).toMatchObject({
      referrer: null,
      userAgent: null,
    }));

  it.each([
    '',
    'nonsense',
    '::1 - - [31/Feb/2016:00:00:00 +0000] "GET / HTTP/1.1" 200 - "-" "x"',
    '::1 - - [01/Feb/2016:24:00:00 +0000] "GET / HTTP/1.1" 200 - "-" "x"',
    '::1 - - [01/Feb/2016:00:75:00 +0000] "GET / HTTP/1.1" 200 - "-" "x"',
    '::1 - - [01/Feb/2016:00:00:99 +0000] "GET / HTTP/1.1" 200 - "-" "x"',
    '::1 - - [01/Feb/2016:00:00:00 +9900] "GET / HTTP/1.1" 200 - "-" "x"',
    '::1 - - [01/Foo/2016:00:00:00 +0000] "GET / HTTP/1.1" 200 - "-" "x"',
    `May 17 10:00:00 web1 nginx: 192.0.2.1 ${REST}`,
    `<134>May 17 10:00:00 web1 nginx: 192.0.2.1 ${REST}`,
    `2026-05-17T10:00:00+00:00 web1 nginx[12]: 192.0.2.1 ${REST}`,
    `nginx_1  | 192.0.2.1 ${REST}`,
    `stdout F 192.0.2.1 ${REST}`,
    `shop.example:443 ${REST}`,
    `a b 192.0.2.1 ${REST}`,
    `shop.example 192.0.2.1 - [17/May/2015:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "x"`,
    `999.0.2.1:80 ${REST}`,
    `{"log":"192.0.2.1 ${REST}"}`,
  ])('is none: %s', (text) => expect(read(text)).toBeNull());

  it('has no user agents in the common format', () =>
    expect(read('::1 - - [01/Feb/2016:00:00:00 +0000] "GET /a HTTP/1.1" 200 5')).toMatchObject({
      target: '/a',
      userAgent: undefined,
    }));

  it.each(['-', String.raw`\x16\x03\x01`])('has no method where the server could not read the request: %s', (request) =>
    expect(read(`::1 - - [01/Feb/2016:00:00:00 +0000] "${request}" 400 - "-" "-"`)).toMatchObject({ method: '' }),
  );

  it.each([
    '2026/11/29 13:33:00 [error] 31#31: *46 open() "/a" failed, request: "GET /a HTTP/1.1"',
    '[Sun Nov 29 13:33:00.123456 2026] [core:notice] [pid 1] AH00094: Command line',
  ])('may be of the error log: %s', (text) => expect(read(text)).toBe('message'));
});

describe('what a line begins with', () => {
  it.each([
    ['192.0.2.1', null, '192.0.2.1'],
    ['192.0.2.1:51234', null, '192.0.2.1'],
    ['[2001:DB8:0:0::1]:443', null, '2001:db8::1'],
    ['::ffff:192.0.2.1', null, '192.0.2.1'],
    ['client.example.net', null, 'client.example.net'],
    ['shop.example:443 192.0.2.1', 'shop.example', '192.0.2.1'],
    ['Shop.Example. 2001:db8::1', 'shop.example', '2001:db8::1'],
    ['203.0.113.9:80 192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['203.0.113.9 192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['_ 192.0.2.1', '_', '192.0.2.1'],
  ])('is understood: %s', (front, host, address) =>
    expect(read(`${front} ${REST}`)).toMatchObject({ host, address, target: '/' }),
  );

  it('may be a user with spaces, behind an address', () =>
    expect(read(`192.0.2.1 - Ada Lovelace ${REST.slice(4)}`)).toMatchObject({ address: '192.0.2.1' }));
});

describe('an escape', () => {
  it.each([
    [String.raw`/gr\xC3\xB6\xC3\x9Fe`, '/gr%C3%B6%C3%9Fe'],
    [String.raw`/\xe9`, '/%E9'],
    [String.raw`/a\"b\\c`, '/a%22b%5Cc'],
    [String.raw`/a\x22b\x5Cc`, '/a%22b%5Cc'],
    [String.raw`/a\tb`, '/a%09b'],
    ['/a%20b', '/a%20b'],
    ['/a b', '/a b'],
  ])('of a target is a byte of the address: %s', (target, expected) =>
    expect(read(`192.0.2.1 ${REST.replace('GET /', `GET ${target}`)}`)).toMatchObject({
      target: expected,
    }),
  );

  it.each([String.raw`/gr\xC3\xB6\xC3\x9Fe/\"a\"\\b`, '/größe/"a"%5Cb', '/gr%C3%B6%C3%9Fe/%22a%22%5Cb'])(
    'leaves one path for a page, however it was written: %s',
    (target) => {
      const line = `192.0.2.1 ${REST.replace('GET /', `GET ${target.replaceAll(/(?<!\\)"/g, String.raw`\"`)}`)}`;
      expect(parsePage((read(line) as LoggedRequest).target)).toMatchObject({ path: '/gr%C3%B6%C3%9Fe/%22a%22%5Cb' });
    },
  );

  it('of referrer and user agent is decoded', () => {
    const referrer = String.raw`http://x.org/\xC3\xB6`;
    const agent = String.raw`M\xC3\xB6z \"q\" \\ \xff`;
    const line = `192.0.2.1 ${REST}`.replace('"-" "x"', `"${referrer}" "${agent}"`);
    expect(read(line)).toMatchObject({ referrer: 'http://x.org/%C3%B6', userAgent: 'Möz "q" \\ \ufffd' });
  });
});

const read = (line: string) => combined.open()(line, null);
