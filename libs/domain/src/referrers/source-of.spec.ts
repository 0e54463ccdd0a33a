import { createHash } from 'node:crypto';
import { REFERRER_RULES_VERSION } from '@ledgerline/contracts/read-models/encodings';
import { KNOWN_SOURCES } from './known-sources';
import { domainOfSource, sourceOf, sourceOfReferrer } from './source-of';

describe('the source of a referrer', () => {
  it.each([
    ['www.google.com', 'Google', 'google.com', 'search'],
    ['google.de', 'Google', 'google.com', 'search'],
    ['www.google.co.uk', 'Google', 'google.com', 'search'],
    ['news.google.com', 'Google', 'google.com', 'search'],
    ['com.google.android.googlequicksearchbox', 'Google', 'google.com', 'search'],
    ['mail.google.com', 'Gmail', 'mail.google.com', 'email'],
    ['gemini.google.com', 'Gemini', 'gemini.google.com', 'ai'],
    ['t.co', 'X', 'x.com', 'social'],
    ['mobile.twitter.com', 'X', 'x.com', 'social'],
    ['l.facebook.com', 'Facebook', 'facebook.com', 'social'],
    ['m.facebook.com', 'Facebook', 'facebook.com', 'social'],
    ['cn.bing.com', 'Bing', 'bing.com', 'search'],
    ['duckduckgo.com', 'DuckDuckGo', 'duckduckgo.com', 'search'],
    ['yandex.ru', 'Yandex', 'yandex.com', 'search'],
    ['yandex.com.tr', 'Yandex', 'yandex.com', 'search'],
    ['mail.yandex.ru', 'Yandex Mail', 'mail.yandex.ru', 'email'],
    ['www.baidu.com', 'Baidu', 'baidu.com', 'search'],
    ['www.linkedin.com', 'LinkedIn', 'linkedin.com', 'social'],
    ['old.reddit.com', 'Reddit', 'reddit.com', 'social'],
    ['youtu.be', 'YouTube', 'youtube.com', 'social'],
    ['l.instagram.com', 'Instagram', 'instagram.com', 'social'],
    ['chat.openai.com', 'ChatGPT', 'chatgpt.com', 'ai'],
    ['www.perplexity.ai', 'Perplexity', 'perplexity.ai', 'ai'],
    ['claude.ai', 'Claude', 'claude.ai', 'ai'],
    ['outlook.live.com', 'Outlook', 'outlook.com', 'email'],
    ['en.wikipedia.org', 'Wikipedia', 'wikipedia.org', 'other'],
    ['www.partner.example', 'partner.example', 'partner.example', 'other'],
    ['blog.partner.example', 'blog.partner.example', 'blog.partner.example', 'other'],
    ['www.com', 'www.com', 'www.com', 'other'],
    ['localhost', 'localhost', 'localhost', 'other'],
  ])('%s is %s', (host, name, domain, type) => {
    expect(sourceOf(host)).toEqual({ name, domain, type });
  });

  it.each(['notgoogle.com', 'google.example.com', 'google.evil.example', 'ax.com', 'google', 'mygoogle.de'])(
    'is not taken in by %s',
    (host) => {
      expect(sourceOf(host)).toMatchObject({ domain: host, type: 'other' });
    },
  );

  it('is direct without a referrer or its host, and for one of the website itself', () => {
    const direct = { name: 'Direct', domain: '', type: 'direct' };
    for (const nothing of [null, undefined, { own: false }, { host: null, own: false }])
      expect(sourceOfReferrer(nothing)).toEqual(direct);
    expect(sourceOfReferrer({ host: 'shop.example', own: true })).toEqual(direct);
    expect(sourceOf('')).toEqual(direct);
  });

  it('is the same for its canonical domain', () => {
    for (const { name, domain, type } of KNOWN_SOURCES) expect(sourceOf(domain)).toEqual({ name, domain, type });
    expect(sourceOf('www.www.partner.example').domain).toBe('partner.example');
  });

  it('is found by its name, which is no other host', () => {
    for (const { name, domain } of KNOWN_SOURCES) {
      expect([name, name.toUpperCase()].map(domainOfSource)).toEqual([domain, domain]);
      expect(KNOWN_SOURCES.flatMap(({ hosts }) => hosts)).not.toContain(name);
    }
    expect(domainOfSource('partner.example')).toBeUndefined();
  });

  it('lists no host twice', () => {
    const hosts = KNOWN_SOURCES.flatMap((source) => source.hosts);
    expect(new Set(hosts).size).toBe(hosts.length);
  });

  it('has a version that changes with the list', () => {
    const hash = createHash('sha256').update(JSON.stringify(KNOWN_SOURCES)).digest('hex');
    expect([REFERRER_RULES_VERSION, hash.slice(0, 8)]).toEqual([1, '033d648f']);
  });
});
