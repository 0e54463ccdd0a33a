import type { Arrival } from '../traffic/arrivals';
import { spanOf } from '../traffic/engagement';
import { SCRIPT, stackOf } from '../traffic/observe';
import { profileOf } from '../traffic/people';
import type { Hit, Visit } from '../traffic/visit';
import type { Options } from './options';

/** One request as sent by a browser, a server, or a person following a short link. */
export interface Request {
  readonly route: Route;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The items of the body, which is a list but for `/identify`; empty for a click. */
  readonly items: readonly object[];
  /** Number of hits. */
  readonly hits: number;
  readonly isBot: boolean;
}

export type Route = '/batch' | '/vitals' | '/errors' | '/engagement' | '/identify' | '/track' | 'short link';

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

/** The requests for the hits that arrive within an hour: one for each visit and route, in order. */
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
    ...(requestOf(route, visit, hits, options) ?? []),
  ]);
}

/** People with a profile sign in as soon as they have come. */
function identificationsOf(visit: Visit, hits: readonly Hit[], options: Options): Request[] {
  const first = visit.hits.find(({ kind }) => kind === 'view');
  const profile = visit.bot === null ? profileOf(visit.person) : null;
  if (!profile || !first || !hits.includes(first)) return [];
  const { person, key } = visit;
  const item = { eventId: `${key}-identify`, anonymousId: person.key, timestamp: first.at, ...profile };
  return [browserRequest('/identify', visit, [item], options)];
}

function requestOf(route: Route, visit: Visit, hits: readonly Hit[], options: Options): Request[] | undefined {
  const { trackUrl, apiKey, shortUrl } = options;
  const items = route === 'short link' ? [] : hits.map((hit) => itemOf(hit, visit, options));
  const common = { route, items, hits: hits.length, isBot: visit.bot !== null };
  if (route === 'short link') {
    return shortUrl === undefined
      ? undefined
      : [{ ...common, method: 'GET', url: shortUrl, headers: headersOf(visit) }];
  }
  if (route === '/track') {
    if (apiKey === undefined) return undefined;
    const headers = { ...JSON_BODY, Authorization: `Bearer ${apiKey}`, 'User-Agent': 'node' };
    return [{ ...common, method: 'POST', url: `${trackUrl}/track`, headers }];
  }
  return [browserRequest(route, visit, items, options)];
}

const JSON_BODY = { 'Content-Type': 'application/json' };

const headersOf = ({ bot, person }: Visit) => ({
  'User-Agent': bot ?? person.browser.userAgent,
  'X-Forwarded-For': person.address, // used only by a tracker that trusts it
});

function browserRequest(
  route: Route,
  visit: Visit,
  items: readonly object[],
  { trackUrl, websiteId }: Options,
): Request {
  const url = `${trackUrl}${route}?client_id=${encodeURIComponent(websiteId)}`;
  const headers = { ...JSON_BODY, ...headersOf(visit) };
  return { route, method: 'POST', url, headers, items, hits: items.length, isBot: visit.bot !== null };
}

/** A hit as an item of the body. With the event id a repeated request adds nothing. */
function itemOf(hit: Hit, visit: Visit, { websiteId }: Options): object {
  const common = {
    eventId: `${visit.key}-${hit.place}`,
    anonymousId: visit.person.key,
    sessionId: visit.key,
    timestamp: hit.at,
  };
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
      return { ...common, type: 'outgoing_link', href: hit.href, text: hit.text, path: hit.page.path };
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
      return {};
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
