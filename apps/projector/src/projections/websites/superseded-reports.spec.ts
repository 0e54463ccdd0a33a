import { eventIdOf, randomEventId } from '@ledgerline/contracts/events/event-id';
import type { EngagementMeasured, VitalMeasured } from '@ledgerline/contracts/events/observed-events';
import { PAGE_TEXT } from '@ledgerline/contracts/read-models/page-events';
import { METRICS } from '@ledgerline/contracts/read-models/website-vitals';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import fc from 'fast-check';
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

  const COUNTS = {
    vitals: [
      { day: '2026-03-10', samples: 2, micros: 600_000 },
      { day: '2026-03-11', samples: 1, micros: 109_000 },
    ],
    forms: [{ rage_clicks: 4, form_starts: 1, form_submits: 1, active: 1, active_ms: 20_000 }],
    texts: [{ kind: PAGE_TEXT.rageTarget, text: 'a.buy', times: 4 }],
    rows: 7,
  };

  async function countsOf(name: string): Promise<object> {
    const website = sql`(select id from dictionary where scope = 0 and text = ${name})`;
    const [vitals, forms, texts, rows] = await Promise.all([
      run(
        versions.pool,
        sql`select day::text, samples, micros::float8 from websites_v3.page_vitals
        where website = ${website} and span = 1 and value <> -1 order by day`,
      ),
      run(
        versions.pool,
        sql`select rage_clicks::float8, form_starts, form_submits, active, active_ms::float8
        from websites_v3.page_events where website = ${website} and span = 1`,
      ),
      run(
        versions.pool,
        sql`select kind, d.text, times::float8 from websites_v3.page_texts t
        join dictionary d on d.id = t.text where website = ${website} and span = 1`,
      ),
      run<{ count: number }>(
        versions.pool,
        sql`select
        ((select count(*) from websites_v3.vitals where website = ${website})
        + (select count(*) from websites_v3.engagement_spans where website = ${website}))::integer as count`,
      ),
    ]);
    return { vitals, forms, texts, rows: rows[0]?.count };
  }

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
  const id = of ? eventIdOf(websiteId, 'vital', ...of) : randomEventId(at);
  const attributes = { country: null, region: null, city: null, browser: null, browserVersion: null, os: null };
  const data = {
    ...stampOf(websiteId),
    ...attributes,
    device: 'desktop' as const,
    path: '/a',
    metric: METRICS[2],
    value,
  };
  return { type: 'VitalMeasured', id, at, receivedAt: at, data };
}

function form(websiteId: string, minute: number, revision: number, span: EngagementMeasured['data']['span']) {
  const at = BEGIN + minute * 60_000;
  const id = eventIdOf(websiteId, 'engagement', 'view', revision);
  const measured = { ...span, formFieldCount: 2, activeTime: 10 + 10 * revision };
  const data = { ...stampOf(websiteId), path: '/form', timeOnPage: 60, span: measured };
  return { type: 'EngagementMeasured' as const, id, at, receivedAt: at, data };
}
