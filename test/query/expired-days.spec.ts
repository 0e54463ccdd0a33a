import { dayNumber, dayOf } from '@ledgerline/domain/time/zones';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { ExpirationDecisions } from '../../apps/projector/src/erasures/decide-expirations';
import { DecidedErasures } from '../../apps/projector/src/erasures/decided-erasures';
import { eraseVisits } from '../../apps/projector/src/erasures/erase-visits';
import { dropOldResults } from '../../apps/projector/src/monitors/kept-results';
import { openProjectionPool } from '../../apps/projector/src/open-pool';
import { boundGroups } from '../../apps/projector/src/runner/bound-group';
import { ok } from '../api/every-change';
import { pageView } from '../events/observed-events';
import { monitorCheck } from '../monitors/random-checks';
import { PARTITIONS } from './projected-database';
import { startQueryApi, type QueryApi } from './query-api';

const TYPES = ['summary_metrics', 'top_pages', 'events_by_date', 'country'];
const RANGE = { startDate: '2026-03-01', endDate: '2026-03-31' };
const DAY_MS = 86_400_000;
const GERMANS = { filters: [{ field: 'country', op: 'eq', value: 'DE' }] };
const DELETED =
  'What happened before 2026-03-10 is deleted; of it whole days in the zone of the website are left, without filters.';

describe('answers about days that are expired', () => {
  it('are the same of whole days without filters, also across the first day that is kept', async () => {
    expect(before.meta).toMatchObject({ notes: [] });
    const after = await ask({ ...RANGE, parameters: TYPES });
    expect(after).toMatchObject({ data: before.data, meta: { notes: [] } });
    const earlier = await ask({ startDate: '2026-03-01', endDate: '2026-03-05', parameters: ['summary_metrics'] });
    expect(earlier.data).toMatchObject([{ data: [{ pageviews: 3, unique_visitors: 2 }] }]);
  });

  it('say what filters do not find any more, and are refused where nothing is left', async () => {
    const filtered = await ask({ ...RANGE, ...GERMANS, parameters: ['top_pages'] });
    expect(filtered.data).toMatchObject([{ success: true, data: [{ pageviews: 2 }] }]);
    expect(filtered.meta).toMatchObject({ notes: [`parameters[0] (top_pages): ${DELETED}`] });
    const days = { startDate: '2026-03-01', endDate: '2026-03-05' };
    const { data } = await ask({ ...days, ...GERMANS, parameters: ['top_pages'] });
    expect(data).toMatchObject([{ success: false, error: `top_pages: ${DELETED}`, data: [] }]);
    const since = { startDate: '2026-03-10', endDate: '2026-03-31', ...GERMANS, parameters: ['top_pages'] };
    expect((await ask(since)).meta).toMatchObject({ notes: [] });
  });

  it('count as many rows as are left of single things', async () => {
    const { data, meta } = await ask({ ...RANGE, parameters: ['session_list'], limit: 1 });
    expect(data).toMatchObject([{ data: [{}] }]);
    expect(meta).toMatchObject({
      totals: { session_list: 2 },
      notes: [`parameters[0] (session_list): ${DELETED}`],
    });
  });

  it('are shown before: what a shorter time would delete, and what was deleted', async () => {
    expect(preview).toMatchObject({ before: '2026-03-10', sessions: 2, events: 3, deletedBefore: null });
    expect(preview.firstAt).toBe('2026-03-02T10:00:00.000Z');
    expect(preview.stay).toEqual(expect.arrayContaining(TYPES));
    expect(preview.end).toEqual(expect.arrayContaining(['session_list', 'goals', 'funnel', 'retention']));
    const now = await previewOf(1);
    expect(now).toMatchObject({ sessions: 2, events: 2, deletedBefore: '2026-03-10' });
  });

  it('say with what they are compared', async () => {
    const range = { startDate: '2026-03-10', endDate: '2026-03-20', compare: 'previous_period', ...GERMANS };
    const { meta } = await ask({ ...range, parameters: ['top_pages'] });
    const compared = 'It is compared with days of which something is deleted.';
    expect(meta).toMatchObject({ notes: [`parameters[0] (top_pages): ${compared}`] });
  });

  let on: QueryApi;
  let before: Record<string, unknown>;
  let preview: Record<string, unknown>;

  beforeAll(async () => {
    on = await startQueryApi();
    const { websiteId, headers } = on.owner;
    const day = (date: string) => Date.parse(`2026-03-${date}T12:00:00Z`);
    await on.send([
      pageView(day('15'), { websiteId, country: 'DE' }),
      pageView(day('20'), { websiteId, country: 'DE' }),
    ]);
    const later = Date.now() + 2 * DAY_MS;
    const retentionDays = dayNumber(dayOf(later, 'UTC')) - dayNumber('2026-03-10');
    await ok(on.api, `PATCH /v1/websites/${websiteId}`, { body: { retentionDays }, headers });
    before = await ask({ ...RANGE, parameters: TYPES });
    preview = await previewOf(retentionDays - 2);
    await expire(on, later);
  });
  afterAll(() => on.close());

  const previewOf = async (days: number) =>
    (await ok(on.api, `GET /v1/websites/${on.owner.websiteId}/retention?days=${days}`, on.owner)).body;

  const ask = async (body: object) => (await on.question(body)).body as Record<string, unknown>;
});

describe('answers about visitors whose ids last', () => {
  it('say how many count twice at most, and nothing where none can', async () => {
    const on = await startQueryApi();
    const { websiteId, headers } = on.owner;
    const view = (date: string, visitor: string) =>
      pageView(Date.parse(`2026-03-${date}T12:00:00Z`), {
        websiteId,
        visitorId: visitor.repeat(32),
        identity: 'stable',
      });
    const metaOf = async (startDate: string) => {
      const body = { startDate, endDate: '2026-03-31', parameters: ['summary_metrics'] };
      const { data, meta } = (await on.question(body)).body as unknown as Answered;
      return { visitors: data[0]?.data[0]?.unique_visitors, notes: meta.notes };
    };
    await on.send([view('03', 'b'), view('15', 'a')]);
    const later = Date.now() + 2 * DAY_MS;
    const retentionDays = dayNumber(dayOf(later, 'UTC')) - dayNumber('2026-03-10');
    const body = { retentionDays, visitorIdentity: 'stable' };
    await ok(on.api, `PATCH /v1/websites/${websiteId}`, { body, headers });
    expect(await metaOf('2026-03-01')).toEqual({ visitors: 3, notes: [] });
    await expire(on, later);
    expect(await metaOf('2026-03-01')).toEqual({ visitors: 3, notes: [] });
    await on.send([view('25', 'b'), view('26', 'c')]);
    const counted =
      'parameters[0] (summary_metrics): Visitors who stayed away for longer than hits are kept count again: at most 2 in this range.';
    expect(await metaOf('2026-03-01')).toEqual({ visitors: 5, notes: [counted] });
    expect(await metaOf('2026-03-10')).toEqual({ visitors: 3, notes: [] });
    await on.close();
  });

  interface Answered {
    readonly data: readonly { readonly data: readonly { readonly unique_visitors: number }[] }[];
    readonly meta: { readonly notes: readonly string[] };
  }
});

describe('answers about monitors', () => {
  it('say from when results are kept, where a range begins before', async () => {
    const on = await startQueryApi();
    const { organizationId, headers } = on.owner;
    const body = { organizationId, name: 'Shop', url: 'https://example.com/' };
    const id = (await ok(on.api, 'POST /v1/monitors', { body, headers })).body.id as string;
    const at = (day: string) => Date.parse(`${day}T10:00:00Z`);
    await on.projector.send(id, [monitorCheck(id, at('2026-02-27')), monitorCheck(id, at('2026-03-02'))]);
    const summaryFrom = async (startDate: string) => {
      const asked = { startDate, endDate: '2026-03-05', parameters: ['uptime_summary'] };
      const answer = await ok(on.api, `POST /v1/query?monitor_id=${id}`, { body: asked, headers });
      const { data, meta } = answer.body as unknown as Summary;
      return { checks: data[0]?.data[0]?.total_checks, notes: meta.notes };
    };
    expect(await summaryFrom('2026-02-01')).toEqual({ checks: 2, notes: [] });
    const pool = openProjectionPool(on.api.settings.databaseUrl, { max: 2 });
    await dropOldResults(pool, 90, new Date(at('2026-06-10')));
    await pool.end();
    const deleted = 'parameters[0] (uptime_summary): Results of monitors before 2026-03-01 are deleted.';
    expect(await summaryFrom('2026-02-01')).toEqual({ checks: 1, notes: [deleted] });
    expect(await summaryFrom('2026-03-01')).toEqual({ checks: 1, notes: [] });
    await on.close();
  });

  interface Summary {
    readonly data: readonly { readonly data: readonly { readonly total_checks: number }[] }[];
    readonly meta: { readonly notes: readonly string[] };
  }
});

async function expire(on: QueryApi, now: number) {
  const { databaseUrl } = on.api.settings;
  const pool = openProjectionPool(databaseUrl, { max: 4 });
  const eventStore = await openEventStore({ databaseUrl });
  const intakeLog = await openIntakeLog({ databaseUrl, partitions: PARTITIONS });
  const group = boundGroups({ eventStore, intakeLog, pool }).find(({ name }) => name === 'websites')!;
  await new ExpirationDecisions(eventStore).decide(group, now);
  const erased = await eraseVisits(group, new DecidedErasures(eventStore));
  expect(erased.map(({ id }) => id)).toEqual(['2026-03-10']);
  await Promise.all([intakeLog.close(), eventStore.close()]);
  await pool.end();
}
