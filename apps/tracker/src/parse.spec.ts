import { cleanId, cleanLines, cleanText, isWithin, parsePage, readReferrer, readUtm, withoutControls } from './parse';

describe('clean text', () => {
  it('is trimmed, and null when nothing is left', () => {
    expect(cleanText('  a b ', 10)).toBe('a b');
    expect(cleanText(' \u0000 ', 10)).toBeNull();
    expect(cleanText(undefined, 10)).toBeNull();
    expect(cleanText(7, 10)).toBeNull();
  });

  it('has no control characters and no lone surrogates, but whole characters', () =>
    expect(cleanText('a\u0000b\u001fc\ud800d\udc00e\u{1f600}\u0085', 50)).toBe('abcde\u{1f600}'));

  it('is cut, never through a character', () => {
    expect(cleanText('abcdef', 3)).toBe('abc');
    expect(cleanText('ab\u{1f600}', 3)).toBe('ab');
    expect(cleanText('ab\u{1f600}', 4)).toBe('ab\u{1f600}');
  });

  it('is in NFC, but for ids', () => {
    expect([cleanText('u\u0308ber', 4), cleanLines('u\u0308\n', 9), withoutControls('u\u0308')]).toEqual([
      'über',
      'ü',
      'ü',
    ]);
    expect(cleanId(' u\u0308\u0000 ', 9)).toBe('u\u0308');
  });

  it('of several lines keeps line feeds and tabs', () => {
    expect(cleanLines('at a\r\n\tat b\u0000', 50)).toBe('at a\n\tat b');
    expect(withoutControls('x\u0007\ny')).toBe('x\ny');
  });
});

describe('a page', () => {
  it.each([
    ['https://Shop.example.com:8443/a/b/?x=1#top', { host: 'shop.example.com', path: '/a/b', query: 'x=1' }],
    ['https://example.com', { host: 'example.com', path: '/', query: null }],
    ['/pricing///', { host: null, path: '/pricing', query: null }],
    ['/?q=a%20b', { host: null, path: '/', query: 'q=a%20b' }],
    ['pricing', { host: null, path: '/pricing', query: null }],
    ['?a', { host: null, path: '/', query: 'a' }],
    ['//double', { host: null, path: '//double', query: null }],
    ['https://example.com./a', { host: 'example.com', path: '/a', query: null }],
    ['#/route', { host: null, path: '/', query: null }],
    ['/gr%c3%b6%C3%9F%65?q=%5fö', { host: null, path: '/gr%C3%B6%C3%9Fe', query: 'q=_%C3%B6' }],
    ['https://example.com/größe/%7Eme/%2E%2e/%zz/', { host: 'example.com', path: '/gr%C3%B6%C3%9Fe/%zz', query: null }],
  ])('%s', (text, page) => expect(parsePage(text)).toEqual(page));

  it.each(['about:blank', 'file:///etc/passwd', 'javascript:alert(1)', 'http://', 'https://a b'])('is not %s', (text) =>
    expect(parsePage(text)).toBeNull(),
  );
});

describe('a referrer', () => {
  it.each([
    ['https://www.Google.com/search?q=secret', { host: 'www.google.com', path: '/search' }],
    ['android-app://com.google.android.gm', { host: 'com.google.android.gm', path: '/' }],
    ['news.ycombinator.com/item', { host: 'news.ycombinator.com', path: '/item' }],
    ['https://www.example.com.:443/', { host: 'www.example.com', path: '/' }],
    ['android-app://com.Slack/https/slack.com', { host: 'com.slack', path: '/https/slack.com' }],
    ['ios-app://544007664/vnd.youtube/www.youtube.com', { host: '544007664', path: '/vnd.youtube/www.youtube.com' }],
    ['http://localhost:3000/', { host: 'localhost', path: '/' }],
    ['https://example.com/%5fgr%c3%b6ße', { host: 'example.com', path: '/_gr%C3%B6%C3%9Fe' }],
  ])('%s', (text, referrer) => expect(readReferrer(text)).toEqual(referrer));

  it.each([null, 'direct', '$direct', 'mailto:a@example.com', '://'])('is not %s', (text) =>
    expect(readReferrer(text)).toBeNull(),
  );
});

describe('a campaign', () => {
  it('comes from its fields, else from the query string', () => {
    expect(readUtm({ utm_source: 'mail', utm_term: null }, 'utm_source=x&utm_medium=+y+z')).toEqual({
      source: 'mail',
      medium: 'y z',
      campaign: null,
      term: null,
      content: null,
    });
  });

  it('is null when nothing names one', () => expect(readUtm({ utm_source: null }, 'utm_source=+&a=b')).toBeNull());
});

it('a host lies within its domain and the domains above it', () => {
  expect(isWithin('example.com', 'example.com')).toBe(true);
  expect(isWithin('www.example.com', 'example.com')).toBe(true);
  expect(isWithin('notexample.com', 'example.com')).toBe(false);
  expect(isWithin('example.com.evil.org', 'example.com')).toBe(false);
});
