import { parsePage } from '../parse';
import type { LoggedRequest } from './formats/logged-request';
import { skipReason } from './skip-reason';

describe('a page view', () => {
  it.each([
    ...['/', '/a', '/a/', '/a.html', '/A.PHP?x=y', '/v1.2/', '/a?flavour=x', '/a?x=feed'],
    ...['/releases/v1.2.3', '/users/john.doe', '/index.shtml', '/order.do', '/a.', '/.well', '/page.png.html', '/md'],
  ])('is GET %s', (target) => expect(reasonOf({ target })).toBeNull());

  it('is what isbot takes for a person’s, whatever our own rules say', () => {
    const userAgent = 'Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/22.1.0';
    expect(reasonOf({ userAgent })).toBeNull();
  });

  it.each<[string, Partial<LoggedRequest>]>([
    ['method', { method: 'HEAD' }],
    ['status', { status: 206 }],
    ['file', { target: '/a.css?x=/b' }],
    ['file', { target: '/A.CSS' }],
    ['file', { target: '/app.mjs' }],
    ['file', { target: '/page.html.gz' }],
    ['file', { target: '/a%2Epng' }],
    ['file', { target: '/a.%6as' }],
    ['file', { target: '/docs/..%2E/a.css/' }],
    ['file', { target: 'http://shop.example/a.png?x=y' }],
    ['feed', { target: '/a?x=1&flav=atom' }],
    ['feed', { target: '/?%66eed=rss2' }],
    ['feed', { target: '/?feed=rss2' }],
    ['no_user_agent', { userAgent: null }],
    ['agents_not_logged', { userAgent: undefined, method: 'POST' }],
    ['method', { method: '', target: '' }],
    ['bot', { userAgent: 'curl/8.0' }],
    ['time', { at: Date.UTC(1999, 0, 1) }],
    ['time', { at: Date.UTC(2027, 0, 1) }],
  ])('is not what has another %s', (reason, other) => expect(reasonOf(other)).toBe(reason));
});

const reasonOf = (other: Partial<LoggedRequest>) => {
  const line = { ...page, ...other };
  return skipReason(line, parsePage(line.target), now);
};

const now = Date.UTC(2026, 0, 1);
const page: LoggedRequest = {
  host: null,
  address: '192.0.2.1',
  at: Date.UTC(2015, 4, 17),
  method: 'GET',
  target: '/',
  status: 200,
  referrer: null,
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/33.0.1750.91 Safari/537.36',
};
