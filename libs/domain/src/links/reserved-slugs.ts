/** First segments of the tracking host's own routes, and names crawlers and browsers ask for. */
const RESERVED: ReadonlySet<string> = new Set([
  'track',
  'batch',
  'identify',
  'vitals',
  'errors',
  'engagement',
  'health',
  'metrics',
  'px.jpg',
  'robots.txt',
  'favicon.ico',
  'sitemap.xml',
  'apple-touch-icon.png',
  '.well-known',
]);

/** True for a name that is never a short link, in any case. */
export const isReservedSlug = (slug: string): boolean => RESERVED.has(slug.toLowerCase());

/** 1–50 of `[A-Za-z0-9_-]`, reserved or not. */
export const isSlug = (text: string): boolean => /^[A-Za-z0-9_-]{1,50}$/.test(text);
