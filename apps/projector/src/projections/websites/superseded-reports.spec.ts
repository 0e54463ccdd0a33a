import fc from 'fast-check';
import { type Aggregate, storedFigure, textOfFigure } from '@ledgerline/contracts/aggregates/aggregate';
import { AGGREGATES, rollupNamed, type RollupName } from '@ledgerline/contracts/aggregates/website-aggregates';
import { VITAL_METRICS } from '@ledgerline/contracts/attributes';
import { derivedEventId, randomEventId } from '@ledgerline/contracts/events/event-id';
import type { EngagementMeasured, VitalMeasured } from '@ledgerline/contracts/events/observed-events';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { keptSums, readKept } from '@test/projector/kept-sums';
import { MemoryLog } from '@test/projector/memory-log';
import { IN_ONE_GO, IN_PIECES, openWebsiteVersions, type WebsiteVersions } from '@test/projector/website-versions';

describe('reports of which the last one counts', () => {
  it('are counted by it, in whatever order and pieces they arrive', async () => {
    const orders = fc.tuple(
      fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 7 }),
      fc.integer({ min: 1, max: 7 }),
    );
    const property = fc.asyncProperty(orders, async ([order, piece]) => {
      const events = eventsOf(`site_${++sites}`);
      await versions.project(IN_ONE_GO, new MemoryLog(events));
      await versions.project(
        IN_PIECES,
        new MemoryLog(
          order.flatMap((place) => events[place] ?? []),
          () => piece,
        ),
        2,
      );
      expect(await versions.differences()).toEqual([]);
      expect(await countsOf(`site_${sites}`)).toEqual(COUNTS);
    });
    await fc.assert(property, { seed: 44, numRuns: 12, endOnFailure: true });
  });

  /** One document's shifts, another one's, and one of a client that does not say what is the last one; and a form. */
  const eventsOf = (websiteId: string): readonly (VitalMeasured | EngagementMeasured)[] => [
    vital(websiteId, 0, 0.011, ['a', 0]),
    vital(websiteId, 1, 0.05, ['a', 1]),
    vital(websiteId, DAY_MINUTES, 0.109, ['a', 2]),
    vital(websiteId, 2, 0.3, ['b', 0]),
    vital(websiteId, 3, 0.3, null),
    form(websiteId, 4, 0, { rageClickCount: 3, rageClickTarget: 'a.buy', lastFormField: 'email', formSubmitCount: 0 }),
    form(websiteId, 5, 1, { rageClickCount: 4, rageClickTarget: 'a.buy', lastFormField: 'card', formSubmitCount: 1 }),
  ];

  async function countsOf(name: string): Promise<object> {
    const [{ id, rows } = { id: 0, rows: 0 }] = await run<{ id: number; rows: number }>(
      versions.pool,
      sql`select d.id, ((select count(*) from websites_v3.vitals where website = d.id)
          + (select count(*) from websites_v3.engagement_spans where website = d.id))::integer as rows
        from dictionary d where scope = 0 and text = ${name}`,
    );
    const kept = await readKept(versions.pool, 'websites_v3', id - 1);
    const sums = keptSums(kept.filter(({ website }) => website === id));
    const figuresOf = (name: RollupName, ...measures: readonly string[]) => {
      const rollup = rollupNamed(name);
      const { measures: declared }: Aggregate = AGGREGATES[name];
      const texts = measures.map((measure) => textOfFigure(storedFigure(declared[measure]!)!));
      const places = texts.map((wanted) => rollup.figures.findIndex(({ text }) => text === wanted));
      return (sums[rollup.name] ?? []).map((row) => {
        const figures = (JSON.parse(row) as unknown[]).slice(2 + rollup.keys.length);
        return places.map((place) => figures[place]);
      });
    };
    return {
      rows,
      vitals: figuresOf('vitals_of_pages', 'samples', 'micros'),
      frustration: figuresOf('frustration', 'rage_clicks', 'dead_clicks'),
      forms: figuresOf('forms', 'form_starts', 'form_submits'),
      attention: figuresOf('attention', 'active_ms', 'active'),
      rageTargets: figuresOf('rage_targets', 'times'),
      abandonedFields: figuresOf('abandoned_fields', 'times'),
    };
  }

  /** Without website, day and keys. */
  const COUNTS = {
    rows: 7,
    vitals: [
      [[2], [600_000]],
      [[1], [109_000]],
    ],
    frustration: [[[4], [0]]],
    forms: [[[1], [1]]],
    attention: [[[20_000], [1]]],
    rageTargets: [[[4]]],
    abandonedFields: [],
  };

  let versions: WebsiteVersions;
  let sites = 0;

  beforeAll(async () => void (versions = await openWebsiteVersions()));
  afterAll(() => versions.close());
});

const BEGIN = Date.parse('2026-03-10T23:30:00Z');
/** To the next day, in the same session. */
const DAY_MINUTES = 31;

const stampOf = (websiteId: string) => ({
  organizationId: 'org_1',
  websiteId,
  zone: 'UTC',
  identity: 'stable' as const,
  visitorId: 'a'.repeat(32),
  sessionId: 'b'.repeat(32),
});

function vital(websiteId: string, minute: number, value: number, of: [string, number] | null): VitalMeasured {
  const at = BEGIN + minute * 60_000;
  const id = of ? derivedEventId(websiteId, 'vital', ...of) : randomEventId(at);
  const attributes = { country: null, region: null, city: null, browser: null, browserVersion: null, os: null };
  const data = {
    ...stampOf(websiteId),
    ...attributes,
    device: 'desktop' as const,
    host: null,
    path: '/a',
    metric: VITAL_METRICS[2],
    value,
  };
  return { type: 'VitalMeasured', id, at, receivedAt: at, data };
}

function form(websiteId: string, minute: number, revision: number, span: EngagementMeasured['data']['span']) {
  const at = BEGIN + minute * 60_000;
  const id = derivedEventId(websiteId, 'engagement', 'view', revision);
  const measured = { ...span, formFieldCount: 2, activeTime: 10 + 10 * revision };
  const data = { ...stampOf(websiteId), host: null, path: '/form', timeOnPage: 60, span: measured };
  return { type: 'EngagementMeasured' as const, id, at, receivedAt: at, data };
}
