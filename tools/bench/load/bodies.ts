import { arrivals } from '../../traffic/arrivals';
import { Random } from '../../traffic/random';

const TEMPLATES = 4_096;

/**
 * Makes bodies for `/batch`: page views of a few thousand visitors, of others each time with `newVisitors`. TRICKY: all
 * but ids and time is prepared, so that the load generator does not compete with what it measures.
 */
export function batchBodies(
  name: string,
  { events, newVisitors }: { readonly events: number; readonly newVisitors: boolean },
): () => string {
  const prepared = views();
  let id = 0;
  const prefix = `${name}-${process.pid}-`;
  const one = () => {
    const { visitor, visit, tail } = prepared[id % prepared.length] ?? NO_VIEW;
    const whose = newVisitors ? `${prefix}${Math.floor(id / prepared.length)}` : '';
    const ids = `"eventId":"${prefix}${id++}","anonymousId":"${visitor}${whose}","sessionId":"${visit}${whose}"`;
    return `{${ids},"timestamp":${Date.now()},${tail}`;
  };
  return () => `[${Array.from({ length: events }, one).join(',')}]`;
}

/** Makes bodies for `POST /v1/links`, each of a link of its own. */
export function linkBodies(name: string, organizationId: string): () => string {
  let id = 0;
  const prefix = `${name}-${process.pid}-`;
  return () => {
    const slug = `${prefix}${id++}`;
    return JSON.stringify({ organizationId, slug, name: slug, targetUrl: `https://example.com/${slug}` });
  };
}

interface PreparedView {
  readonly visitor: string;
  readonly visit: string;
  /** The rest of its JSON. */
  readonly tail: string;
}
const NO_VIEW: PreparedView = { visitor: '', visit: '', tail: '}' };

function views(): PreparedView[] {
  const plan = { seed: 7, end: Date.now(), days: 1, visitors: 3_000, visits: TEMPLATES };
  const random = new Random(7);
  const prepared: PreparedView[] = [];
  for (const { visit, hit } of [...arrivals(plan)].flat()) {
    if (hit.kind !== 'view' || visit.bot !== null) continue;
    const { person, source } = visit;
    const view = {
      name: 'screen_view',
      path: `https://example.com${hit.page.path}`,
      title: hit.page.title,
      referrer: source.referrer ? `https://${source.referrer.host}${source.referrer.path}` : undefined,
      utm_source: source.campaign?.source,
      utm_medium: source.campaign?.medium,
      utm_campaign: source.campaign?.campaign,
      language: person.place.language,
      timezone: person.place.timezone,
      screen_resolution: person.browser.screen,
      viewport_size: person.browser.screen,
      page_count: 1 + random.below(5),
    };
    prepared.push({ visitor: person.key, visit: visit.key, tail: JSON.stringify(view).slice(1) });
    if (prepared.length === TEMPLATES) break;
  }
  return prepared;
}
