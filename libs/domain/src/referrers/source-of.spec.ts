import { createHash } from 'node:crypto';
import type { PageViewed } from '@ledgerline/contracts/events/observed-events';
import { REFERRER_RULES_VERSION } from '@ledgerline/contracts/read-models/session-days';
import { CAMPAIGN_NAMES, KNOWN_SOURCES } from './known-sources';
import { channelOf, domainOfSource, sourceOf, sourceOfVisit } from './source-of';

describe('the source of a referrer', () => {
  it.each([
    ['www.google.com', 'Google', 'google.com', 'search'],
    ['google.de', 'Google', 'google.com', 'search'],
    ['www.google.co.uk', 'Google', 'google.com', 'search'],
    ['news.google.com', 'Google', 'google.com', 'search'],
    ['com.google.android.googlequicksearchbox', 'Google', 'google.com', 'search'],
    ['com.google.android.youtube', 'YouTube', 'youtube.com', 'social'],
    ['544007664', 'YouTube', 'youtube.com', 'social'],
    ['com.google.android.gm', 'Gmail', 'mail.google.com', 'email'],
    ['com.pinterest', 'Pinterest', 'pinterest.com', 'social'],
    ['com.microsoft.teams', 'Microsoft Teams', 'teams.microsoft.com', 'social'],
    ['teams.microsoft.com', 'Microsoft Teams', 'teams.microsoft.com', 'social'],
    ['com.discord', 'Discord', 'discord.com', 'social'],
    ['com.hammerandchisel.discord', 'Discord', 'discord.com', 'social'],
    ['com.slack', 'Slack', 'slack.com', 'social'],
    ['com.reddit.frontpage', 'Reddit', 'reddit.com', 'social'],
    ['1064216828', 'Reddit', 'reddit.com', 'social'],
    ['com.example.app', 'com.example.app', 'com.example.app', 'other'],
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
    for (const referrer of [null, undefined, { own: false }, { host: null, own: false }])
      expect(sourceOfVisit({ referrer })).toEqual(direct);
    expect(sourceOfVisit({ referrer: { host: 'shop.example', own: true } })).toEqual(direct);
    expect(sourceOf('')).toEqual(direct);
  });

  it.each([
    ['Google', 'google.com', 'search'],
    ['google', 'google.com', 'search'],
    ['www.google.de', 'google.com', 'search'],
    ['Facebook', 'facebook.com', 'social'],
    ['fb', 'facebook.com', 'social'],
    ['hacker_news', 'news.ycombinator.com', 'social'],
    ['Twitter', 'x.com', 'social'],
    ['chatgpt.com', 'chatgpt.com', 'ai'],
    ['Gmail', 'mail.google.com', 'email'],
    ['newsletter', '', 'direct'],
    ['partner.example', '', 'direct'],
    ['constructor', '', 'direct'],
    ['', '', 'direct'],
  ])('is named by utm_source=%s where there is no referrer', (source, domain, type) => {
    for (const referrer of [null, { host: 'shop.example', own: true }])
      expect(sourceOfVisit({ referrer, utm: { source } })).toMatchObject({ domain, type });
    const referrer = { host: 'www.bing.com', own: false };
    expect(sourceOfVisit({ referrer, utm: { source } })).toMatchObject({ domain: 'bing.com' });
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

  it('has for each name of campaigns a known domain', () => {
    for (const [word, domain] of Object.entries(CAMPAIGN_NAMES)) {
      expect([domainOfSource(word), sourceOf(domain).domain]).toEqual([domain, domain]);
      expect(sourceOf(domain).type).not.toBe('direct');
    }
  });

  it('lists no host twice', () => {
    const hosts = KNOWN_SOURCES.flatMap((source) => source.hosts);
    expect(new Set(hosts).size).toBe(hosts.length);
  });

  it('has a version that changes with the list', () => {
    const hash = createHash('sha256')
      .update(JSON.stringify([KNOWN_SOURCES, CAMPAIGN_NAMES]))
      .digest('hex');
    expect([REFERRER_RULES_VERSION, hash.slice(0, 8)]).toEqual([3, '68ef070b']);
  });
});

type Visit = { host?: string; own?: boolean; source?: string; medium?: string; query?: string };

describe('the channel of a visit', () => {
  it.each<[string, Visit]>([
    ['Paid search', { host: 'www.google.com', medium: 'CPC' }],
    ['Paid search', { host: 'www.google.com', query: 'a=1&GCLID=x' }],
    ['Paid search', { source: 'bing', query: 'msclkid=x' }],
    ['Paid search', { source: 'Google', medium: 'retargeting' }],
    ['Paid search', { query: 'gclid=x' }],
    ['Paid search', { host: 'shop.example', own: true, query: 'a=1&wbraid=x&b=2' }],
    ['Paid search', { host: 'www.linkedin.com', query: 'gbraid=x&ttclid=x' }],
    ['Paid search', { host: 'partner.example', source: 'google', medium: 'sem' }],
    ['Paid search', { host: 'l.facebook.com', source: 'bing', medium: 'paid-search', query: 'fbclid=x' }],
    ['Paid social', { query: 'ttclid=x' }],
    ['Paid social', { host: 'www.google.com', query: 'TWCLID=x' }],
    ['Paid social', { source: 'poster', medium: 'E-Mail', query: 'li_fat_id=x' }],
    ['Paid social', { medium: 'paid_social', query: 'fbclid=x' }],
    ['Paid social', { host: 'www.google.com', source: 'instagram', medium: 'ppc' }],
    ['Paid social', { host: 'l.facebook.com', medium: 'paidsocial', query: 'fbclid=x' }],
    ['Paid social', { source: 'fb', medium: 'cpc' }],
    ['Email', { host: 'www.google.com', medium: 'E-Mail' }],
    ['Email', { source: 'Newsletter' }],
    ['Email', { host: 'mail.google.com' }],
    ['Affiliates', { host: 'partner.example', medium: 'affiliate' }],
    ['Display', { host: 'chatgpt.com', medium: 'banner' }],
    ['AI', { host: 'chatgpt.com' }],
    ['AI', { host: 'www.google.com', source: 'chatgpt.com' }],
    ['Organic search', { host: 'duckduckgo.com', query: 'gclids=x&gclid=&msclkid' }],
    ['Organic search', { host: 'partner.example', source: 'google' }],
    ['Organic search', { host: 'www.google.com', source: 'partner.example' }],
    ['Organic search', { source: 'elsewhere', medium: 'organic' }],
    ['Organic social', { host: 'l.facebook.com', query: 'fbclid=x' }],
    ['Organic social', { medium: 'Social' }],
    ['Referral', { host: 'partner.example' }],
    ['Referral', { host: 'partner.example', source: 'list', medium: 'cpc' }],
    ['Referral', { medium: 'referral' }],
    ['Referral', { host: 'www.google.com', source: 'github' }],
    ['Direct', {}],
    ['Direct', { query: 'fbclid=x&q=gclid' }],
    ['Direct', { host: 'shop.example', own: true }],
    ['Other', { source: 'poster' }],
    ['Other', { medium: 'cpc' }],
  ])('is %s for %j', (channel, visit) => expect(channelOf(visitOf(visit))).toBe(channel));
});

const visitOf = ({ host, own = false, source, medium, query }: Visit): Parameters<typeof channelOf>[0] => ({
  referrer: host === undefined ? null : { host, path: '/', own },
  utm: utmOf(source ?? null, medium ?? null),
  query: query ?? null,
});

const utmOf = (source: string | null, medium: string | null): PageViewed['data']['utm'] =>
  source === null && medium === null ? null : { source, medium, campaign: null, term: null, content: null };
