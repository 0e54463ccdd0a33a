import type { PageViewed, Referrer, Utm } from '@ledgerline/contracts/events/observed-events';
import type { NaiveFieldFilter } from './naive-request';

/** The names of the referring hosts of random and simulated traffic; written by hand, not by the product. */
export const REFERRERS: Readonly<Record<string, { domain: string; name: string; type: string }>> = {
  'www.google.com': { domain: 'google.com', name: 'Google', type: 'search' },
  'google.de': { domain: 'google.com', name: 'Google', type: 'search' },
  'www.google.de': { domain: 'google.com', name: 'Google', type: 'search' },
  'www.bing.com': { domain: 'bing.com', name: 'Bing', type: 'search' },
  'duckduckgo.com': { domain: 'duckduckgo.com', name: 'DuckDuckGo', type: 'search' },
  't.co': { domain: 'x.com', name: 'X', type: 'social' },
  'www.linkedin.com': { domain: 'linkedin.com', name: 'LinkedIn', type: 'social' },
  'www.youtube.com': { domain: 'youtube.com', name: 'YouTube', type: 'social' },
  'www.reddit.com': { domain: 'reddit.com', name: 'Reddit', type: 'social' },
  'news.ycombinator.com': { domain: 'news.ycombinator.com', name: 'Hacker News', type: 'social' },
  'l.facebook.com': { domain: 'facebook.com', name: 'Facebook', type: 'social' },
  'github.com': { domain: 'github.com', name: 'GitHub', type: 'other' },
  'mail.google.com': { domain: 'mail.google.com', name: 'Gmail', type: 'email' },
  'chatgpt.com': { domain: 'chatgpt.com', name: 'ChatGPT', type: 'ai' },
  'news.example.org': { domain: 'news.example.org', name: 'news.example.org', type: 'other' },
  'www.partner.example': { domain: 'partner.example', name: 'partner.example', type: 'other' },
};

/** Without a referrer of others it is the source that the campaign names, if that is a known one. */
export function referrerDomain({ referrer, utm }: { referrer: Referrer | null; utm: Utm | null }): string {
  if (referrer !== null && !referrer.own) return REFERRERS[referrer.host]?.domain ?? referrer.host;
  return sourceNamed(utm)?.domain ?? '';
}

const sourceNamed = (utm: Utm | null) =>
  Object.values(REFERRERS).find(({ name }) => name.toLowerCase() === utm?.source?.toLowerCase());

/** The attributes a filter can name, as they are compared; '' = unknown. */
export function attributeOf(view: PageViewed, field: string): string {
  const { data } = view;
  switch (field) {
    case 'referrer':
      return referrerDomain(data);
    case 'channel':
      return channelOf(view);
    case 'utm_source':
      return data.utm?.source ?? '';
    case 'utm_medium':
      return data.utm?.medium ?? '';
    case 'utm_campaign':
      return data.utm?.campaign ?? '';
    case 'utm_term':
      return data.utm?.term ?? '';
    case 'utm_content':
      return data.utm?.content ?? '';
    case 'country':
      return data.country ?? '';
    case 'region':
      return data.region ?? '';
    case 'city':
      return data.city ?? '';
    case 'language':
      return data.language ?? '';
    case 'timezone':
      return data.timezone ?? '';
    case 'device_type':
      return data.device;
    case 'browser_name':
      return data.browser ?? '';
    case 'os_name':
      return data.os ?? '';
    case 'screen':
      return data.screen ?? '';
    case 'browser_version':
      return data.browser === null ? '' : `${data.browser} ${data.browserVersion ?? ''}`;
    default:
      throw new Error(`The oracle knows no attribute ${field}.`);
  }
}

/** The first line of the table of channels that holds. */
function channelOf({ data }: PageViewed): string {
  const source = (data.utm?.source ?? '').toLowerCase();
  const medium = (data.utm?.medium ?? '').toLowerCase();
  const type = channelType(data);
  const clickIds = new Set<string>();
  for (const part of (data.query ?? '').split('&')) {
    const [name, ...value] = part.split('=');
    if (value.join('=') !== '') clickIds.add(name!.toLowerCase());
  }
  const hasOne = (...names: string[]) => names.some((name) => clickIds.has(name));
  const isPaid = PAID_MEDIUMS.includes(medium);
  if (hasOne('gclid', 'gbraid', 'wbraid', 'msclkid') || (isPaid && type === 'search')) return 'Paid search';
  if (hasOne('ttclid', 'twclid', 'li_fat_id')) return 'Paid social';
  if (isPaid && (type === 'social' || hasOne('fbclid'))) return 'Paid social';
  if (['email', 'e-mail', 'mail'].includes(medium)) return 'Email';
  if (source === 'email' || source === 'newsletter' || type === 'email') return 'Email';
  if (medium === 'affiliate' || medium === 'affiliates') return 'Affiliates';
  if (['display', 'banner', 'cpm', 'interstitial'].includes(medium)) return 'Display';
  if (type === 'ai') return 'AI';
  if (type === 'search' || medium === 'organic') return 'Organic search';
  if (type === 'social' || medium === 'social') return 'Organic social';
  if (type !== 'none' || medium === 'referral') return 'Referral';
  if (source === '' && medium === '') return 'Direct';
  return 'Other';
}

const PAID_MEDIUMS = 'cpc ppc paid sem paidsearch paid-search paidsocial paid_social retargeting'.split(' ');

/** Returns the type of the known source that the campaign names, else of the referrer. */
function channelType({ referrer, utm }: PageViewed['data']): string {
  const named = sourceNamed(utm);
  if (named) return named.type;
  const domain = referrerDomain({ referrer, utm });
  if (domain === '') return 'none';
  return Object.values(REFERRERS).find((each) => each.domain === domain)?.type ?? 'other';
}

/**
 * Returns what a filter may call a value: a country goes by code and name, a referrer and a missing value by its name
 * in rows.
 */
export function spellingsOf(value: string, { field, op }: NaiveFieldFilter): string[] {
  if (op === 'glob') return [value];
  if (field === 'country' && value !== '') return [value, COUNTRY_NAMES[value] ?? value];
  const whole = ['eq', 'ne', 'in', 'not_in'].includes(op);
  if (!whole || field === 'channel' || field.startsWith('utm_')) return [value];
  const source = Object.values(REFERRERS).find(({ domain }) => domain === value);
  if (value !== '') return field === 'referrer' && source ? [value, ...inAnyCase(source.name)] : [value];
  return ['', ...(field === 'referrer' ? inAnyCase('Direct') : ['Unknown'])];
}

/** As far as random filters write them. */
const inAnyCase = (name: string) => [name, name.toLowerCase()];

/** English names of the countries in the random traffic. */
export const COUNTRY_NAMES: Readonly<Record<string, string>> = {
  DE: 'Germany',
  FR: 'France',
  US: 'United States',
};
