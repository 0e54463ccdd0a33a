import { weighted } from './choices';

/** Source of a visit: the referring page, the campaign in the URL, or a short link. */
export interface Source {
  /** Host and path of the referring page; null = none. */
  readonly referrer: { readonly host: string; readonly path: string } | null;
  readonly campaign: Campaign | null;
  readonly byShortLink: boolean;
}

interface Campaign {
  readonly source: string;
  readonly medium: string;
  readonly campaign: string;
  readonly term: string | null;
  readonly content: string | null;
}

const from = (host: string, path = '/'): Source => ({ referrer: { host, path }, campaign: null, byShortLink: false });
const direct: Source = { referrer: null, campaign: null, byShortLink: false };

const tagged = (
  source: string,
  medium: string,
  campaign: string,
  referrer: string | null,
  { term = null, content = null }: Partial<Pick<Campaign, 'term' | 'content'>> = {},
): Source => ({
  referrer: referrer === null ? null : { host: referrer, path: '/' },
  campaign: { source, medium, campaign, term, content },
  byShortLink: false,
});

const BLOGS = Array.from(
  { length: 120 },
  (_, at) => [from(`blog${at + 1}.example.net`, '/post'), 6 / (at + 1)] as const,
);

export const someSource = weighted<Source>([
  [direct, 34],
  [from('www.google.com'), 22],
  [from('www.google.de'), 3],
  [from('www.bing.com'), 3],
  [from('duckduckgo.com'), 2],
  [from('t.co'), 3],
  [from('www.linkedin.com', '/feed'), 2],
  [from('www.reddit.com', '/r/selfhosted'), 2],
  [from('news.ycombinator.com', '/item'), 2],
  [from('github.com', '/trending'), 2],
  [from('chatgpt.com'), 2],
  ...BLOGS,
  [tagged('newsletter', 'email', 'spring-launch', null, { content: 'header' }), 3],
  [tagged('newsletter', 'email', 'weekly-digest', null), 2],
  [tagged('google', 'cpc', 'brand', 'www.google.com', { content: 'ad-a', term: 'example analytics' }), 3],
  [tagged('google', 'cpc', 'competitors', 'www.google.com', { content: 'ad-b', term: 'web statistics' }), 2],
  [tagged('facebook', 'social', 'spring-launch', 'l.facebook.com'), 2],
  [{ ...tagged('podcast', 'audio', 'episode-12', null), byShortLink: true }, 3],
]);
