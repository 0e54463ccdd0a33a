import { Pool } from 'pg';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { DAY, startQueryApi, type QueryApi } from '@test/query/query-api';
import { ResponseSizeLimit, MemoryBudget } from '../session-columns/memory-budget';
import { QueryRunner, RunQuery } from './query-runner';
import { requestAnswer, type RequestAnswer } from './response';

describe('the budget of a response', () => {
  it('is shared by its entries, and keeps what a refused one did not take', async () => {
    const budget = new ResponseSizeLimit(undefined, 1_000);
    await budget.take([{ text: 'x'.repeat(500) }]);
    await expect(budget.take([{ text: 'x'.repeat(600) }])).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await budget.take([{ text: 'x'.repeat(300) }]);
  });

  it.each([
    ['texts', [{ name: 'größe', path: '/a/b' }]],
    ['nested values', [{ events: [{ id: 'a', properties: { plan: 'pro', seats: ['x', 'y'] } }, {}], stack: null }]],
    ['comparisons', [{ name: 'DE', visitors: 1234567, previous: { visitors: 12345678 } }]],
    ['many rows', Array.from({ length: 3_000 }, (_, at) => ({ name: `row number ${at}`, path: '/some/page' }))],
  ])('measures %s about as long as they are as JSON', async (_, rows) => {
    const length = JSON.stringify(rows).length;
    await new ResponseSizeLimit(undefined, length * 1.5).take(rows);
    await expect(new ResponseSizeLimit(undefined, length * 0.7).take(rows)).rejects.toThrow('32 MiB');
  });
});

it('rows take memory until the response is sent, and are refused where others hold it', async () => {
  const memory = new MemoryBudget({ columns: 0, texts: 0, rows: 0, answers: 10_000 }, new Metrics());
  const first = new ResponseSizeLimit(memory);
  const second = new ResponseSizeLimit(memory);
  const rows = [{ text: 'x'.repeat(1_500) }];
  await first.take(rows);
  await expect(second.take(rows)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  first.release();
  await second.take(rows);
  await expect(second.take([{ text: 'x'.repeat(5_000) }])).rejects.toMatchObject({ code: 'TOO_LARGE' });
});

describe('a range that is not over', () => {
  const today = { preset: 'today', compare: 'previous_period' };

  it('is compared with the same part of the one before, to the same hour, which the answer names', async () => {
    const parameters = ['summary_metrics', 'sessions_time_series', 'top_pages'];
    const early = await askAt('2026-03-03T09:59:00Z', { parameters, ...today });
    expect(early.data[0]).toMatchObject({ data: [{ previous: { pageviews: 0, unique_visitors: 0, sessions: 0 } }] });
    expect(early.data[1]).toMatchObject({ data: [{ date: '2026-03-03', previous: { sessions: 0 } }] });
    expect(early.meta.compare).toEqual(yesterdayUntil('10:00'));
    const late = await askAt('2026-03-03T10:00:00Z', { parameters, ...today });
    expect(late.data[0]).toMatchObject({ data: [{ previous: { pageviews: 3, unique_visitors: 2, sessions: 2 } }] });
    expect(late.data[1]).toMatchObject({ data: [{ date: '2026-03-03', previous: { sessions: 2 } }] });
    expect(late.meta.compare).toEqual(yesterdayUntil('11:00'));
  });

  it('is so with filters, for every hour, and in another time zone', async () => {
    const filters = [{ field: 'country', op: 'eq', value: 'DE' }];
    const parameters = ['summary_metrics', { name: 'sessions_time_series', granularity: 'hourly' }];
    const early = await askAt('2026-03-03T09:59:00Z', { parameters, filters, ...today, timezone: 'Asia/Kolkata' });
    expect(early.data[0]).toMatchObject({ data: [{ previous: { pageviews: 2 } }] }); // 15:29 there, until 16:00
    const hours = early.data[1]!.data;
    expect(hours).toHaveLength(16);
    expect(hours.at(-1)).toMatchObject({ date: '2026-03-03 15:00:00', previous: { sessions: 1 } });
    const none = await askAt('2026-03-03T09:29:00Z', { parameters, filters, ...today, timezone: 'Asia/Kolkata' });
    expect(none.data[0]).toMatchObject({ data: [{ previous: { pageviews: 0 } }] });
    expect(none.meta.compare).toMatchObject({ until: '2026-03-02T09:30:00.000Z' });
  });

  it('is compared with the calendar period before that of its preset, and a type that overrides it is noted', async () => {
    const parameters = ['top_pages', { name: 'country', preset: 'this_month' }, { name: 'city', preset: 'this_week' }];
    const { meta } = await askAt('2026-03-12T09:20:00Z', {
      parameters,
      preset: 'this_week',
      compare: 'previous_period',
    });
    expect(meta.compare).toEqual({
      period: 'previous_period',
      startDate: '2026-03-02',
      endDate: '2026-03-05',
      until: '2026-03-05T10:00:00.000Z',
    });
    expect(meta.notes).toEqual([
      'parameters[1] (country): It is compared with 2026-02-01 to 2026-02-12, until 2026-02-12T10:00:00.000Z.',
    ]);
  });

  it('has a last bucket that is not over, which is noted once', async () => {
    const parameters = [
      'events_by_date',
      'session_metrics',
      { name: 'error_trends', granularity: 'hourly' },
      'country',
    ];
    const notes = async (more: object) => (await askAt('2026-03-03T09:59:00Z', { parameters, ...more })).meta.notes;
    expect(await notes({ preset: 'today' })).toEqual([
      'The last row of a series, 2026-03-03, is not over: it shows what happened so far.',
      'The last row of a series, 2026-03-03 09:00:00, is not over: it shows what happened so far.',
    ]);
    expect(await notes({ preset: 'yesterday' })).toEqual([]);
    expect(await notes({ preset: 'today', page: 2 })).toEqual([]);
  });

  it('has parts of weeks and months at its ends, which are noted', async () => {
    const parameters = ['events_by_date', { name: 'events_by_date', granularity: 'monthly' }];
    const asked = { parameters, granularity: 'weekly', startDate: '2026-02-24', endDate: '2026-03-03' };
    const { meta, data } = await askAt('2026-03-12T09:20:00Z', asked);
    const dates = data.map((entry) => 'data' in entry && (entry.data as { date: string }[]).map(({ date }) => date));
    expect(dates).toEqual([
      ['2026-02-23', '2026-03-02'],
      ['2026-02-01', '2026-03-01'],
    ]);
    const shows = 'shows the days of it that are in the range.';
    expect(meta.notes).toEqual([
      `The first row of a series, 2026-02-23, ${shows}`,
      `The last row of a series, 2026-03-02, ${shows}`,
      `The first row of a series, 2026-02-01, ${shows}`,
      `The last row of a series, 2026-03-01, ${shows}`,
    ]);
  });
});

describe('a range that is over', () => {
  it('is compared with as many whole days', async () => {
    const { meta } = await askAt('2026-03-12T09:20:00Z', {
      parameters: ['realtime_pages', 'top_pages'],
      startDate: '2026-03-03',
      endDate: '2026-03-04',
      compare: 'previous_period',
    });
    expect(meta.compare).toMatchObject({ startDate: '2026-03-01', endDate: DAY, until: '2026-03-03T00:00:00.000Z' });
  });

  it('has no earlier range where no type is compared', async () => {
    const types = { parameters: ['realtime_pages'], startDate: DAY, endDate: DAY };
    const { meta } = await askAt('2026-03-12T09:20:00Z', { ...types, compare: 'previous_period' });
    expect(meta).not.toHaveProperty('compare');
  });
});

describe('an answer while events of its website are missing', () => {
  it('notes since when the projection is stopped, and not why', async () => {
    const pool = new Pool({ connectionString: on.api.settings.databaseUrl });
    const range = { parameters: ['top_pages'], startDate: DAY, endDate: DAY };
    const notes = async () => (await askAt('2026-03-12T09:20:00Z', range)).meta.notes;
    expect(await notes()).toEqual([]);
    await pool.query(`update projection_checkpoints set stopped = 'a reason', updated_at = '2026-03-05T08:00:00Z'`);
    expect(await notes()).toEqual([
      "The projection of this website's events is stopped since 2026-03-05T08:00:00.000Z; newer events are missing.",
    ]);
    await pool.query('update projection_checkpoints set stopped = null');
    expect(await notes()).toEqual([]);
    await pool.end();
  });

  it('notes that it is not exact while events of the website are parked, and not which', async () => {
    const pool = new Pool({ connectionString: on.api.settings.databaseUrl });
    const range = { parameters: ['top_pages'], startDate: DAY, endDate: DAY };
    const notes = async () => (await askAt('2026-03-12T09:20:00Z', range)).meta.notes;
    const park = (subject: string) =>
      pool.query(
        `insert into parked_events (projection_group, version, partition, epoch, cursor, after, event_id, event_type, subject, order_key, tries)
          select projection_group, version, partition, epoch, $1, '', '', '', $1, '', 1 from projection_checkpoints
          where projection_group = 'websites'`,
        [subject],
      );
    await park('another website');
    expect(await notes()).toEqual([]);
    await park(on.owner.websiteId);
    expect(await notes()).toEqual([
      'These answers are not exact: 1 event of this website could not be counted yet and is missing.',
    ]);
    await pool.query('update parked_events set accepted_at = clock_timestamp()');
    expect(await notes()).toEqual([]);
    await pool.end();
  });
});

const yesterdayUntil = (time: string) => ({
  period: 'previous_period',
  startDate: DAY,
  endDate: DAY,
  until: `${DAY}T${time}:00.000Z`,
});

async function askAt(now: string, body: object): Promise<RequestAnswer> {
  const { id, organizationId, websiteId } = on.owner;
  const caller = { kind: 'user' as const, id, roles: new Map([[organizationId, 'owner' as const]]) };
  const query = new RunQuery({ caller, params: { website_id: websiteId }, body, now: Date.parse(now) });
  const [answer] = await on.api.app.get(QueryRunner).execute(query);
  return requestAnswer(answer!);
}

let on: QueryApi;
beforeAll(async () => (on = await startQueryApi()));
afterAll(() => on.close());
