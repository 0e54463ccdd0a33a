import { MAX_ITEMS } from '@ledgerline/contracts/intake-limits';
import type { Arrival } from '../traffic/arrivals';
import { spanOf } from '../traffic/engagement';
import { SCRIPT, stackOf } from '../traffic/observe';
import { linkKindOf } from '../traffic/pages';
import { profileOf } from '../traffic/people';
import type { Hit, Visit } from '../traffic/visit';
import type { Options } from './options';

/** One request as sent by a browser, a server, or a person following a short link. */
export interface Request {
  readonly route: Route;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The items of the body, which is a list but for `/identify`; a click has no body. */
  readonly items: readonly Item[];
  /** Number of hits. */
  readonly hits: number;
  readonly isBot: boolean;
}

interface Item {
  readonly eventId: string;
  /** Epoch ms. */
  readonly timestamp: number;
  readonly [field: string]: unknown;
}

export type Route = keyof typeof MAX_ITEMS | 'short link';

const ROUTES: Readonly<Record<Hit['kind'], Route>> = {
  view: '/batch',
  leave: '/batch',
  custom: '/batch',
  outgoing: '/batch',
  vital: '/vitals',
  error: '/errors',
  engagement: '/engagement',
  server: '/track',
  click: 'short link',
};

/** The requests for the hits that arrive within an hour: one for each visit and route, or as many as it takes, in order. */
export function requestsOf(arrivals: readonly Arrival[], options: Options): Request[] {
  const groups = new Map<string, { route: Route; visit: Visit; hits: Hit[] }>();
  for (const { visit, hit } of arrivals) {
    const route = ROUTES[hit.kind];
    const name = `${visit.number} ${route}`;
    const group = groups.get(name);
    if (group) group.hits.push(hit);
    else groups.set(name, { route, visit, hits: [hit] });
  }
  return [...groups.values()].flatMap(({ route, visit, hits }) => [
    ...identificationsOf(visit, hits, options),
    ...piecesOf(hits, route === 'short link' ? 1 : MAX_ITEMS[route]).flatMap(
      (piece) => requestOf(route, visit, piece, options) ?? [],
    ),
  ]);
}

const piecesOf = (hits: readonly Hit[], size: number): readonly Hit[][] =>
  Array.from({ length: Math.ceil(hits.length / size) }, (_, at) => hits.slice(at * size, (at + 1) * size));

/** People with a profile sign in as soon as they have come. */
function identificationsOf(visit: Visit, hits: readonly Hit[], options: Options): Request[] {
  const first = visit.hits.find(({ kind }) => kind === 'view');
  const profile = visit.bot === null ? profileOf(visit.person) : null;
  if (!profile || !first || !hits.includes(first)) return [];
  const { key } = visit;
  const item = { ...commonOf(visit, first.at), eventId: `${key}-identify`, ...profile };
  return [browserRequest('/identify', visit, [item], options)];
}

function requestOf(route: Route, visit: Visit, hits: readonly Hit[], options: Options): Request[] | undefined {
  const { trackUrl, apiKey, shortUrl } = options;
  const items = hits.map((hit) => itemOf(hit, visit, options));
  const common = { route, items, hits: hits.length, isBot: visit.bot !== null };
  if (route === 'short link') {
    return shortUrl === undefined
      ? undefined
      : [{ ...common, method: 'GET', url: shortUrl, headers: { ...headersOf(visit), ...refererOf(visit) } }];
  }
  if (route === '/track') {
    if (apiKey === undefined) return undefined;
    const headers = { ...JSON_BODY, ...keyOf(apiKey), 'User-Agent': 'node' };
    return [{ ...common, method: 'POST', url: `${trackUrl}/track`, headers }];
  }
  return [browserRequest(route, visit, items, options)];
}

const JSON_BODY = { 'Content-Type': 'application/json' };

/** Where the short link stands; of most clicks this is unknown. */
const LINK_PAGES = ['https://t.co/', 'https://www.linkedin.com/feed', 'https://www.youtube.com/watch'];

function refererOf({ number }: Visit): Readonly<Record<string, string>> {
  const Referer = LINK_PAGES[number % 7];
  return Referer === undefined ? {} : { Referer };
}

const keyOf = (apiKey: string) => ({ Authorization: `Bearer ${apiKey}` });

const headersOf = ({ bot, person }: Visit) => ({
  'User-Agent': bot ?? person.browser.userAgent,
  'X-Forwarded-For': person.address, // used only by a tracker that trusts it
});

/** With the key, as of a server that passes on what its visitors' browsers send: only then may events be old. */
function browserRequest(
  route: Route,
  visit: Visit,
  items: readonly Item[],
  { trackUrl, websiteId, apiKey }: Options,
): Request {
  const url = `${trackUrl}${route}?client_id=${encodeURIComponent(websiteId)}`;
  const withKey = apiKey === undefined || visit.bot !== null ? {} : keyOf(apiKey); // who has a key is no bot
  const headers = { ...JSON_BODY, ...headersOf(visit), ...withKey };
  return { route, method: 'POST', url, headers, items, hits: items.length, isBot: visit.bot !== null };
}

/** A person keeps one id for all time where a key allows it: who comes again is known, and what is sent again counts once. */
const commonOf = ({ person, key }: Visit, timestamp: number) => ({
  anonymousId: person.key,
  sessionId: key,
  timestamp,
  anonymizeVisitorIds: false,
});

/** A hit as an item of the body. With the event id a repeated request adds nothing. */
function itemOf(hit: Hit, visit: Visit, { websiteId }: Options): Item {
  const common = { ...commonOf(visit, hit.at), eventId: `${visit.key}-${hit.place}` };
  switch (hit.kind) {
    case 'view':
      return { ...common, name: 'screen_view', path: hit.page.path, title: hit.page.title, ...entrance(visit) };
    case 'leave':
      return {
        ...common,
        name: 'page_exit',
        path: hit.page.path,
        time_on_page: hit.seconds,
        scroll_depth: hit.depth,
        interaction_count: hit.depth % 7,
      };
    case 'custom': {
      const properties = hit.plan === null ? undefined : { plan: hit.plan };
      return { ...common, name: hit.name, path: hit.page.path, properties };
    }
    case 'outgoing':
      return {
        ...common,
        type: 'outgoing_link',
        href: hit.href,
        link_kind: linkKindOf(hit.href),
        text: hit.text,
        path: hit.page.path,
      };
    case 'vital':
      return { ...common, path: hit.page.path, metricName: hit.metric, metricValue: hit.value };
    case 'error': {
      const { message, type: errorType, line: lineno } = hit.failure;
      const where = { filename: SCRIPT, lineno, colno: 17, stack: stackOf(hit.failure) };
      return { ...common, path: hit.page.path, message, errorType, ...where };
    }
    case 'engagement':
      return { ...common, path: hit.page.path, timeOnPage: hit.seconds, ...spanOf(hit) };
    case 'server':
      return { ...common, websiteId, name: hit.name, properties: { amount: hit.amount }, source: 'server' };
    case 'click':
      return common;
  }
}

function entrance({ source, person }: Visit): object {
  const { referrer, campaign } = source;
  return {
    ...(referrer ? { referrer: `https://${referrer.host}${referrer.path}` } : {}),
    ...(campaign ? { utm_source: campaign.source, utm_medium: campaign.medium, utm_campaign: campaign.campaign } : {}),
    ...(campaign?.term ? { utm_term: campaign.term } : {}),
    ...(campaign?.content ? { utm_content: campaign.content } : {}),
    language: person.place.language,
    timezone: person.place.timezone,
    screen_resolution: person.browser.screen,
    viewport_size: person.browser.screen,
  };
}
