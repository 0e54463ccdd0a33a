import type { PageViewed } from '@ledgerline/contracts/events/observed-events';
import { sourceOfVisit } from './source-of';

type Origin = Pick<PageViewed['data'], 'referrer' | 'utm' | 'query'>;

const PAID = ['cpc', 'ppc', 'paid', 'paidsearch', 'paidsocial', 'retargeting'];
const BY_MEDIUM: readonly (readonly [channel: string, mediums: readonly string[]])[] = [
  ['Affiliates', ['affiliate', 'affiliates']],
  ['Display', ['display', 'banner', 'cpm', 'interstitial']],
];
const EMAIL_MEDIUMS = ['email', 'e-mail', 'mail'];
const EMAIL_SOURCES = ['email', 'newsletter'];

/** What advertising of search engines adds to the query string; that of Facebook says nothing of who paid. */
const SEARCH_CLICK = /(?:^|&)(?:gclid|msclkid)(?:=|&|$)/i;

/**
 * How a visit came about, by its first page view: the first channel that holds (docs/definitions.md). Its name is what is
 * stored: a change of the rules raises `REFERRER_RULES_VERSION`.
 */
export function channelOf(origin: Origin): string {
  const { domain, type } = sourceOfVisit(origin);
  const [source, medium] = [wordOf(origin.utm?.source), wordOf(origin.utm?.medium)];
  const isPaid = PAID.includes(medium);
  if (type === 'search' && (isPaid || SEARCH_CLICK.test(origin.query ?? ''))) return 'Paid search';
  if (type === 'social' && isPaid) return 'Paid social';
  if (EMAIL_MEDIUMS.includes(medium) || EMAIL_SOURCES.includes(source) || type === 'email') return 'Email';
  const [byMedium] = BY_MEDIUM.find(([, mediums]) => mediums.includes(medium)) ?? [];
  if (byMedium !== undefined) return byMedium;
  if (type === 'ai') return 'AI';
  if (type === 'search' || medium === 'organic') return 'Organic search';
  if (type === 'social' || medium === 'social') return 'Organic social';
  if (domain !== '' || medium === 'referral') return 'Referral';
  return source === '' && medium === '' ? 'Direct' : 'Other';
}

const wordOf = (text: string | null | undefined): string => text?.trim().toLowerCase() ?? '';
