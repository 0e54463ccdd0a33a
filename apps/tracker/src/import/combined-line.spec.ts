import { skipReason } from './classify';
import { parseCombinedLine, type CombinedLine } from './combined-line';

describe('a line of an access log', () => {
  it('has address, time, request, referrer and user agent', () =>
    expect(
      parseCombinedLine(
        '2001:db8::1 - frank [10/Oct/2000:13:55:36 -0730] "GET /a?b=c HTTP/1.0" 200 2326 "http://x.org/" "A \\"quoted\\" agent" extra',
      ),
    ).toEqual({
      address: '2001:db8::1',
      at: Date.parse('2000-10-10T21:25:36Z'),
      method: 'GET',
      target: '/a?b=c',
      status: 200,
      referrer: 'http://x.org/',
      userAgent: 'A "quoted" agent',
    }));

  it('may lack referrer and user agent', () =>
    expect(parseCombinedLine('::1 - - [29/Feb/2016:00:00:00 +0000] "HEAD / HTTP/1.1" 304 - "-" ""')).toMatchObject({
      referrer: null,
      userAgent: null,
    }));

  it.each([
    '',
    'nonsense',
    '::1 - - [31/Feb/2016:00:00:00 +0000] "GET / HTTP/1.1" 200 - "-" "x"',
    '::1 - - [01/Foo/2016:00:00:00 +0000] "GET / HTTP/1.1" 200 - "-" "x"',
    '::1 - - [01/Feb/2016:00:00:00 +0000] "-" 408 - "-" "-"',
    '::1 - - [01/Feb/2016:00:00:00 +0000] "GET / HTTP/1.1" 200 5',
  ])('is none: %s', (text) => expect(parseCombinedLine(text)).toBeNull());
});

describe('a page view', () => {
  it.each(['/', '/a', '/a/', '/a.html', '/A.PHP?x=y', '/v1.2/', '/a?flavour=x', '/a?x=feed'])('is GET %s', (target) =>
    expect(skipReason({ ...page, target }, now)).toBeNull(),
  );

  it('is what isbot takes for a person’s, whatever our own rules say', () => {
    const userAgent = 'Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/22.1.0';
    expect(skipReason({ ...page, userAgent }, now)).toBeNull();
  });

  it.each<[string, Partial<CombinedLine>]>([
    ['method', { method: 'HEAD' }],
    ['status', { status: 206 }],
    ['file', { target: '/a.css?x=/b' }],
    ['feed', { target: '/a?x=1&flav=atom' }],
    ['feed', { target: '/?feed=rss2' }],
    ['no_user_agent', { userAgent: null }],
    ['bot', { userAgent: 'curl/8.0' }],
    ['time', { at: Date.UTC(1999, 0, 1) }],
    ['time', { at: Date.UTC(2027, 0, 1) }],
  ])('is not what has another %s', (reason, other) => expect(skipReason({ ...page, ...other }, now)).toBe(reason));
});

const now = Date.UTC(2026, 0, 1);
const page: CombinedLine = {
  address: '192.0.2.1',
  at: Date.UTC(2015, 4, 17),
  method: 'GET',
  target: '/',
  status: 200,
  referrer: null,
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/33.0.1750.91 Safari/537.36',
};
