import { randomBytes } from 'node:crypto';
import { encodeEventId } from '@ledgerline/contracts/events/event-id';
import type { EngagementMeasured, VitalMeasured } from '@ledgerline/contracts/events/observed-events';
import { pageView } from '@test/events/observed-events';
import { DAY, rowsOf, startQueryApi, type QueryApi } from '@test/query/query-api';

const LCP = { field: 'metric_name', op: 'eq', value: 'LCP' };
/** A filter that selects every session: answered from facts, not from rollups. */
const FACTS = [[], [{ field: 'country', op: 'ne', value: 'FR' }]];

describe.each(FACTS.map((filters) => [filters.length === 0 ? 'rollups' : 'facts', filters] as const))(
  'vitals from %s',
  (_, filters) => {
    it('are all there', async () => {
      expect(await shown('vitals_overview', { filters })).toEqual(['LCP 3', 'CLS 1', 'INP 1']);
      expect(await shown('vitals_by_page', { filters })).toEqual(['/ LCP 2', '/ CLS 1', '/ INP 1', '/b LCP 1']);
      expect(await shown('vitals_time_series', { filters })).toHaveLength(3);
    });

    it('are those of the metrics that a filter selects', async () => {
      const one = { filters: [...filters, LCP] };
      expect(await shown('vitals_overview', one)).toEqual(['LCP 3']);
      expect(await shown('vitals_by_page', one)).toEqual(['/ LCP 2', '/b LCP 1']);
      expect(await shown('vitals_time_series', one)).toEqual([`${DAY} LCP 3`]);
      const others = { filters: [...filters, { field: 'metric_name', op: 'not_in', value: ['LCP', 'CLS'] }] };
      expect(await shown('vitals_overview', others)).toEqual(['INP 1']);
      const none = { filters: [...filters, { field: 'metric_name', op: 'eq', value: 'lcp' }] };
      expect(await shown('vitals_by_page', none)).toEqual([]);
    });

    it('of fewer samples are left out, and not counted as rows', async () => {
      const { body } = await asked('vitals_by_page', { filters, minSamples: 2, limit: 1 });
      expect(body.meta).toMatchObject({ totals: { vitals_by_page: 1 } });
      expect(await shown('vitals_by_page', { filters, minSamples: 2 })).toEqual(['/ LCP 2']);
      expect(await shown('vitals_overview', { filters, minSamples: 4 })).toEqual([]);
      const own = { name: 'vitals_overview', minSamples: 3 };
      const both = await on.question({ ...RANGE, filters, minSamples: 9, parameters: [own, 'vitals_overview'] });
      expect(both.body.data).toMatchObject([{ data: [{ metric_name: 'LCP', samples: 3 }] }, { data: [] }]);
    });

    it('of fewer samples have no percentiles in a series, whose rows stay', async () => {
      const rows = rowsOf(await asked('vitals_time_series', { filters, minSamples: 3 }));
      expect(rows.map(({ metric_name, samples, p75 }) => [metric_name, samples, p75 === null])).toEqual([
        ['LCP', 3, false],
        ['CLS', 1, true],
        ['INP', 1, true],
      ]);
    });

    it('are compared with earlier ones, however few these were', async () => {
      const rows = rowsOf(await asked('vitals_overview', { filters, minSamples: 3, compare: 'previous_period' }));
      expect(rows).toMatchObject([{ metric_name: 'LCP', samples: 3, previous: { samples: 1 } }]);
    });
  },
);

describe.each(FACTS)('pages of few views or form starts', (...filters) => {
  const QUALITY = ['frustration_by_page', 'engagement_quality_by_page', 'form_abandonment_by_page'];
  const answer = async (more: object) => {
    const { body } = await on.question({ ...RANGE, filters, parameters: QUALITY, ...more });
    const { notes, hidden, totals } = body.meta as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    const names = (body.data as { data: { name: string }[] }[]).map(({ data }) => data.map(({ name }) => name));
    return { names, notes, hidden, totals };
  };

  it('are left out, and the answer says how many, also where none is left', async () => {
    const left = 'are left out; a lower minSamples shows more.';
    expect(await answer({})).toEqual({
      names: [['/busy'], ['/busy'], []],
      totals: { frustration_by_page: 1, engagement_quality_by_page: 1, form_abandonment_by_page: 0 },
      hidden: { frustration_by_page: 2, engagement_quality_by_page: 2, form_abandonment_by_page: 1 },
      notes: [
        `parameters[0] (frustration_by_page): 2 rows with fewer than 5 page_views ${left}`,
        `parameters[1] (engagement_quality_by_page): 2 rows with fewer than 5 page_views ${left}`,
        `parameters[2] (form_abandonment_by_page): 1 row with fewer than 5 form_starts ${left.replace('are', 'is')}`,
      ],
    });
  });

  it('are shown with a lower minSamples, and more of them left out with a higher one', async () => {
    const every = [['/busy', '/', '/=1+1'], ['/busy', '/', '/=1+1'], ['/busy']];
    expect(await answer({ minSamples: 1 })).toMatchObject({ names: every, hidden: {}, notes: [] });
    expect(await answer({ minSamples: 2 })).toMatchObject({ names: [['/busy', '/'], ['/busy', '/'], ['/busy']] });
    const higher = { frustration_by_page: 3, engagement_quality_by_page: 3, form_abandonment_by_page: 1 };
    expect(await answer({ minSamples: 6, page: 2, limit: 1 })).toMatchObject({ names: [[], [], []], hidden: higher });
  });

  it('are compared with what they were, however few views these are', async () => {
    const { body } = await on.question({ ...RANGE, filters, parameters: QUALITY, compare: 'previous_period' });
    expect(body.data).toMatchObject([
      { data: [{ name: '/busy', page_views: 5, previous: { page_views: 1 } }] },
      {},
      {},
    ]);
  });
});

it('a series notes how many rows have no percentiles', async () => {
  const { body } = await asked('vitals_time_series', { minSamples: 3 });
  const note = 'parameters[0] (vitals_time_series): 2 rows with fewer than 3 samples have no percentiles;';
  expect(body.meta).toMatchObject({
    hidden: { vitals_time_series: 2 },
    notes: [expect.stringContaining(note) as string],
  });
});

it('types without samples or metrics fail alone when these are asked of them', async () => {
  const parameters = ['vitals_overview', 'top_pages'];
  const { body } = await on.question({ ...RANGE, parameters, minSamples: 2 });
  const failed = (error: string) => ({ success: false, error: expect.stringContaining(error) as string, data: [] });
  expect(body.data).toMatchObject([{ success: true }, failed('minSamples')]);
  const filtered = await on.question({ ...RANGE, parameters, filters: [LCP] });
  expect(filtered.body.data).toMatchObject([{ success: true }, failed('no filter metric_name')]);
});

it('an answer without vitals notes a metric that none in the range has, and no number of samples', async () => {
  const notes = async (value: string, more: object = {}) => {
    const { body } = await asked('vitals_by_page', { filters: [{ ...LCP, value }], ...more });
    return (body.meta as { notes: string[] }).notes;
  };
  const note = (rest: string) => [`The filter on metric_name matches nothing in the range: ${rest}`];
  expect(await notes('lcp')).toEqual(note('"lcp". The nearest known value: "LCP".'));
  expect(await notes('TTFB')).toEqual(note('"TTFB".'));
  expect(await notes('LCP', { minSamples: 9 })).toEqual([expect.stringContaining('fewer than 9 samples')]);
});

const RANGE = { startDate: DAY, endDate: DAY };
const NOON = Date.parse(`${DAY}T12:00:00Z`);
const A_DAY = 24 * 3_600_000;

const asked = (name: string, more: object) => on.question({ ...RANGE, parameters: [name], ...more });

/** The texts and samples of the rows. */
const shown = async (name: string, more: object) =>
  ((await asked(name, more)).body.data as [{ data: VitalRow[] }])[0].data.map(
    ({ date = '', page = date, metric_name, samples }) => `${page} ${metric_name} ${samples}`.trim(),
  );

/** A row of a type about vitals; of a series with its date. */
interface VitalRow {
  readonly date?: string;
  readonly page?: string;
  readonly metric_name: string;
  readonly samples: number;
}

let on: QueryApi;
beforeAll(async () => {
  on = await startQueryApi();
  const { websiteId } = on.owner;
  const vital = (metric: VitalMeasured['data']['metric'], value: number, path = '/', at = NOON): VitalMeasured => {
    const { data, ...event } = pageView(at + 1, { websiteId });
    const id = encodeEventId(randomBytes(16));
    return { ...event, id, type: 'VitalMeasured', data: { ...data, path, metric, value } };
  };
  const formStart = (at: number): EngagementMeasured => {
    const { data, ...event } = pageView(at, { websiteId });
    const id = encodeEventId(randomBytes(16));
    const span = { formFieldCount: 1 };
    return { ...event, id, type: 'EngagementMeasured', data: { ...data, path: '/busy', timeOnPage: 1, span } };
  };
  const before = NOON - A_DAY;
  await on.send([
    ...[pageView(NOON, { websiteId }), pageView(before, { websiteId }), vital('LCP', 900, '/', before)],
    pageView(before, { websiteId, path: '/busy' }),
    ...[1, 2, 3, 4, 5].map((minute) => pageView(NOON + minute * 60_000, { websiteId, path: '/busy' })),
    ...[1, 2].map((minute) => formStart(NOON + minute * 60_000)),
    ...[vital('LCP', 1200), vital('LCP', 1800), vital('LCP', 2500, '/b'), vital('CLS', 0.1), vital('INP', 200)],
  ]);
});
afterAll(() => on.close());
