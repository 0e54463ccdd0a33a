/**
 * The headers of browsers for a page that nobody sees yet: Chromium's prefetches and prerenders, Firefox, Safari, older
 * ones.
 */
export const UNSEEN = [
  { 'sec-purpose': 'prefetch' },
  { 'sec-purpose': 'prefetch;prerender' },
  { 'sec-purpose': 'prefetch;anonymous-client-ip' },
  { purpose: 'prefetch' },
  { 'x-moz': 'prefetch' },
  { 'x-purpose': 'preview' },
  { 'x-purpose': 'instant' },
] as const satisfies readonly Readonly<Record<string, string>>[];
