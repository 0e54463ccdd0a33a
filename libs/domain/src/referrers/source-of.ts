import type { PageViewed } from '@ledgerline/contracts/events/observed-events';
import { CAMPAIGN_NAMES, KNOWN_SOURCES, type KnownSource, type SourceType } from './known-sources';

interface Source {
  /** Display name. */
  readonly name: string;
  /** The canonical domain rows are grouped by; '' = direct. */
  readonly domain: string;
  readonly type: SourceType;
}

const DIRECT: Source = { name: 'Direct', domain: '', type: 'direct' };

/** Where a visitor came from, by a host in lower case or by a canonical domain: `sourceOf(sourceOf(x).domain)` = `sourceOf(x)`. */
export function sourceOf(host: string): Source {
  if (host === '') return DIRECT;
  const known = remembered.get(host);
  if (known) return known;
  const source = classify(host);
  if (remembered.size >= 50_000) remembered.clear();
  remembered.set(host, source);
  return source;
}

/** The recorded origin of a visit or click. */
interface Origin {
  readonly referrer?: { readonly host?: string | null; readonly own: boolean } | null;
  readonly utm?: { readonly source: string | null } | null;
}

/**
 * Returns the source of a visit or click: its referrer's. Where there is none, or the website's own, the one that
 * `utm_source` names, if it is known; otherwise it is direct.
 */
export function sourceOfVisit({ referrer, utm }: Origin): Source {
  const host = referrer?.own ? '' : (referrer?.host ?? '');
  return host === '' ? sourceOfTag(utm?.source ?? '') : sourceOf(host);
}

/** The known source that `utm_source` names, by a name or a host; direct where it names none. */
const sourceOfTag = (source: string): Source =>
  sourceOf(domainOfSource(source) ?? knownSource(source.toLowerCase())?.domain ?? '');

/** The canonical domain of the known source of that name, or that campaigns call so, in any case. */
export const domainOfSource = (name: string): string | undefined => domains.get(wordOf(name));

/** `hacker_news` and `Hacker News` are one. */
function wordOf(name: string): string {
  return name.toLowerCase().replace(/[\s_-]+/g, '');
}

const domains = new Map([
  ...Object.entries(CAMPAIGN_NAMES),
  ...KNOWN_SOURCES.map(({ name, domain }) => [wordOf(name), domain] as const),
]);

const remembered = new Map<string, Source>();

const byHost = new Map<string, KnownSource>();
const byName = new Map<string, KnownSource>();
for (const source of KNOWN_SOURCES) {
  for (const host of source.hosts) {
    if (host.endsWith('.*')) byName.set(host.slice(0, -2), source);
    else byHost.set(host, source);
  }
}

function classify(host: string): Source {
  const known = knownSource(host);
  if (known) return { name: known.name, domain: known.domain, type: known.type };
  const domain = host.replace(/^(www\.)+(?=[^.]+\.)/, '');
  return { name: domain, domain, type: 'other' };
}

function knownSource(host: string): KnownSource | undefined {
  const labels = host.split('.');
  for (let first = 0; first < labels.length; first++) {
    const known = byHost.get(labels.slice(first).join('.')) ?? underAnySuffix(labels, first);
    if (known) return known;
  }
  return undefined;
}

/** `google.*`: the name, then a public suffix of one or two short labels (`de`, `co.uk`, `com.au`). */
function underAnySuffix(labels: readonly string[], first: number): KnownSource | undefined {
  const last = labels.length - 1;
  if (isCountry(labels[last]) && isSecondLevel(labels[last - 1])) return byName.get(labels.slice(first, -2).join('.'));
  return isTopLevel(labels[last]) ? byName.get(labels.slice(first, -1).join('.')) : undefined;
}

const isCountry = (label = '') => /^[a-z]{2}$/.test(label);
const isSecondLevel = (label = '') => ['co', 'com', 'org', 'net', 'ne', 'or'].includes(label);
const isTopLevel = (label = '') => isCountry(label) || ['com', 'net', 'org', 'cat'].includes(label);

type VisitOrigin = Pick<PageViewed['data'], 'referrer' | 'utm' | 'query'>;

const PAID = 'cpc ppc paid sem paidsearch paid-search paidsocial paid_social retargeting'.split(' ');
const AFFILIATE_MEDIUMS = ['affiliate', 'affiliates'];
const DISPLAY_MEDIUMS = ['display', 'banner', 'cpm', 'interstitial'];
const EMAIL_MEDIUMS = ['email', 'e-mail', 'mail'];
const EMAIL_SOURCES = ['email', 'newsletter'];

/** The parameters that advertising of search engines and of social networks adds to the query string. */
const SEARCH_CLICK = /(?:^|&)(?:gclid|gbraid|wbraid|msclkid)=[^&]/i;
const SOCIAL_CLICK = /(?:^|&)(?:ttclid|twclid|li_fat_id)=[^&]/i;
/** Facebook adds it to all links, paid or not. */
const FACEBOOK_CLICK = /(?:^|&)fbclid=[^&]/i;

/** The facts about a visit that decide its channel. */
interface ClassifiedVisit extends Pick<Source, 'domain' | 'type'> {
  readonly source: string;
  readonly medium: string;
  readonly query: string;
}

const isPaid = ({ medium }: ClassifiedVisit): boolean => PAID.includes(medium);

/** The channels in the order in which they are asked, each with what holds of its visits. */
const CHANNELS: readonly (readonly [channel: string, holds: (visit: ClassifiedVisit) => boolean])[] = [
  ['Paid search', (visit) => SEARCH_CLICK.test(visit.query) || (visit.type === 'search' && isPaid(visit))],
  [
    'Paid social',
    (visit) =>
      SOCIAL_CLICK.test(visit.query) ||
      (isPaid(visit) && (visit.type === 'social' || FACEBOOK_CLICK.test(visit.query))),
  ],
  [
    'Email',
    ({ type, medium, source }) => EMAIL_MEDIUMS.includes(medium) || EMAIL_SOURCES.includes(source) || type === 'email',
  ],
  ['Affiliates', ({ medium }) => AFFILIATE_MEDIUMS.includes(medium)],
  ['Display', ({ medium }) => DISPLAY_MEDIUMS.includes(medium)],
  ['AI', ({ type }) => type === 'ai'],
  ['Organic search', ({ type, medium }) => type === 'search' || medium === 'organic'],
  ['Organic social', ({ type, medium }) => type === 'social' || medium === 'social'],
  ['Referral', ({ domain, medium }) => domain !== '' || medium === 'referral'],
  ['Direct', ({ source, medium }) => source === '' && medium === ''],
];

/**
 * Tells how a visit came about, by its first page view: the first channel that holds (docs/definitions.md). Its name is
 * what is stored: a change of the rules raises `REFERRER_RULES_VERSION`.
 */
export function channelOf(origin: VisitOrigin): string {
  const source = trimmedWord(origin.utm?.source);
  const medium = trimmedWord(origin.utm?.medium);
  const tag = sourceOfTag(source);
  const { domain, type } = tag.domain === '' ? sourceOfVisit(origin) : tag;
  const visit = { source, medium, domain, type, query: origin.query ?? '' };
  const [channel] = CHANNELS.find(([, holds]) => holds(visit)) ?? OTHER_CHANNEL;
  return channel;
}

const OTHER_CHANNEL = ['Other'] as const;

const trimmedWord = (text: string | null | undefined): string => text?.trim().toLowerCase() ?? '';
