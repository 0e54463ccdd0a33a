import { arrivals } from '../../traffic/arrivals';
import { Random } from '../../traffic/random';

const TEMPLATES = 4_096;

/**
 * Makes bodies for `/batch`: page views of a few thousand visitors. TRICKY: all but id and time is prepared, so that
 * the load generator does not compete with what it measures.
 */
export function batchBodies(name: string, events: number): () => string {
  const tails = views();
  let [turn, id] = [0, 0];
  const prefix = `${name}-${process.pid}-`;
  const one = () => `{"eventId":"${prefix}${id++}","timestamp":${Date.now()},${tails[turn++ % TEMPLATES] ?? ''}`;
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

function views(): string[] {
  const plan = { seed: 7, end: Date.now(), days: 1, visitors: 3_000, visits: TEMPLATES };
  const random = new Random(7);
  const tails: string[] = [];
  for (const { visit, hit } of [...arrivals(plan)].flat()) {
    if (hit.kind !== 'view' || visit.bot !== null) continue;
    const { person, source } = visit;
    const view = {
      name: 'screen_view',
      anonymousId: person.key,
      sessionId: visit.key,
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
    tails.push(JSON.stringify(view).slice(1));
    if (tails.length === TEMPLATES) break;
  }
  return tails;
}
