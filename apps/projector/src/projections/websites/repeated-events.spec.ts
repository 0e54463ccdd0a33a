import fc from 'fast-check';
import type { WebsiteObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { traffic } from '@test/oracle/random-traffic';
import { MemoryLog } from '@test/projector/memory-log';
import { IN_ONE_GO, IN_PIECES, openWebsiteVersions, type WebsiteVersions } from '@test/projector/website-versions';

const DAY_MS = 86_400_000;

describe('an event id that is logged again after days', () => {
  const COPIES: Readonly<Record<string, (event: WebsiteObservedEvent) => WebsiteObservedEvent>> = {
    unchanged: (event) => event,
    'with other contents': (event) => changed(event, {}, { path: '/elsewhere' }),
    'in another session': (event) => changed(event, {}, { sessionId: 'a'.repeat(32) }),
    'in no session': (event) => changed(event, {}, { sessionId: null }),
    'of another visitor': (event) => changed(event, {}, { visitorId: 'b'.repeat(32) }),
    'of no visitor': (event) => changed(event, {}, { visitorId: null }),
    'of no visitor and in no session': (event) => changed(event, {}, { visitorId: null, sessionId: null }),
    'at another time': (event) => changed(event, { at: event.at + 4 * DAY_MS }, {}),
    'a moment later': (event) => changed(event, { at: event.at + 1 }, {}),
    'a second before': (event) => changed(event, { at: event.at - 1_000 }, {}),
    'more than a second later': (event) => changed(event, { at: event.at + 1_001 }, {}),
  };

  it.each(Object.entries(COPIES))('%s gives the same rows in one batch and in many', async (_, copyOf) => {
    const property = fc.asyncProperty(traffic, fc.array(fc.nat(59), { maxLength: 20 }), async (random, places) => {
      const events = random.events({ websiteId: `site_${++sites}`, organizationId: 'org_1', zone: random.zone });
      const logged = [...events, ...places.flatMap((place) => events.slice(place, place + 1).map(copyOf))];
      await versions.project(IN_ONE_GO, new MemoryLog(logged));
      await versions.project(IN_PIECES, new MemoryLog(logged, () => 6));
      expect(await versions.differences()).toEqual([]);
      const { custom, inRows } = await countsOf(`site_${sites}`);
      expect(custom).toBe(inRows);
    });
    await fc.assert(property, { seed: 43, numRuns: 3, endOnFailure: true });
  });

  it.each(Object.entries(COPIES))(
    '%s is counted once, or as often as it differs by time or visitor',
    async (name, copyOf) => {
      const isOther = /visitor|time|more than/.test(name);
      const events = [...oneOfEachType()].map(([type, event]) => changed(event, {}, { websiteId: `${type} ${name}` }));
      await versions.project(
        IN_ONE_GO,
        new MemoryLog(events.flatMap((event) => [event, copyOf(event), copyOf(event)])),
      );
      const counts = await run<{ website: string; hits: number }>(
        versions.pool,
        sql`select text as website, sum(cardinality(hit_at))::integer as hits from websites_v2.sessions
        join dictionary on id = sessions.website where text like ${`% ${name}`} group by text`,
      );
      expect(counts).toHaveLength(7);
      expect(counts).toEqual(counts.map(({ website }) => ({ website, hits: isOther ? 2 : 1 })));
    },
  );

  /** Custom events of a website: in its sessions, and in rows of their own. */
  const countsOf = async (website: string) => {
    const [counts] = await run<{ custom: number; inRows: number }>(
      versions.pool,
      sql`select
          (select coalesce(sum(custom_events), 0)::integer from websites_v2.sessions where website = named.id) as custom,
          (select count(*)::integer from websites_v2.custom_events where website = named.id) as "inRows"
        from (select coalesce(max(id), 0) as id from dictionary where text = ${website}) named`,
    );
    return counts ?? { custom: -1, inRows: 0 };
  };

  let versions: WebsiteVersions;
  let sites = 0;

  beforeAll(async () => void (versions = await openWebsiteVersions()));
  afterAll(() => versions.close());
});

/** The event with other values; every kind has these fields. */
function changed<Event extends WebsiteObservedEvent>(event: Event, fields: { at?: number }, data: object): Event {
  return { ...event, ...fields, data: { ...event.data, ...data } };
}

/** The first of each type, by a visitor. */
function oneOfEachType(): ReadonlyMap<string, WebsiteObservedEvent> {
  const events = new Map<string, WebsiteObservedEvent>();
  const about = { websiteId: 'site', organizationId: 'org_1', zone: 'UTC' };
  for (const random of fc.sample(traffic, { seed: 1, numRuns: 50 })) {
    for (const event of random.events(about)) {
      if (event.data.visitorId !== null) events.set(event.type, event);
    }
  }
  return events;
}
