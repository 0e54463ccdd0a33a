import type { Pool } from 'pg';
import { useTopic } from '@ledgerline/kafka/topic-offsets';
import { openPool } from '@ledgerline/platform/database/pool';
import { type IntakeItem, partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { Heartbeat } from '@ledgerline/platform/processes/heartbeat';
import { ask, type Answer } from '@test/api/ask';
import { ok } from '@test/api/every-change';
import { linkClicked, pageView } from '@test/events/observed-events';
import { monitorCheck } from '@test/monitors/random-checks';
import { PARTITIONS } from '@test/query/projected-database';
import { DAY, rowsOf, startQueryApi, type QueryApi } from '@test/query/query-api';
import { waitUntil } from '@test/wait-until';
import { LiveAnswers } from '../live/live-answers';
import { QueryTargets } from '../request/query-targets';
import { AnswerCache } from '../snapshot/answer-cache';

const BODY = { parameters: ['top_pages'], startDate: DAY, endDate: DAY };
const NEWEST = `${DAY}T10:01:00.000Z`;

describe('the time up to which an answer has everything', () => {
  it('is now on a quiet website, in whole seconds, also when the answer was kept', async () => {
    const before = second();
    const first = timesIn(await on.question(BODY));
    expect(first).toMatchObject({ lagMs: 0, newestEventAt: NEWEST });
    expect(first.asOf).toBeGreaterThanOrEqual(before);
    expect(first.asOf).toBeLessThanOrEqual(Date.now());
    await waitUntil(() => second() > first.asOf);
    const { misses } = on.api.app.get(AnswerCache);
    const later = second();
    expect(timesIn(await on.question(BODY)).asOf).toBeGreaterThanOrEqual(later);
    expect(on.api.app.get(AnswerCache).misses).toBe(misses);
  });

  it('is in answers of every kind, and a share with filters does not say when the newest event was', async () => {
    const { organizationId, websiteId, headers } = on.owner;
    const before = second();
    const newest = { newestEventAt: NEWEST };
    const shareOf = async (filters: object[]) => {
      const body = { organizationId, websiteId, name: 'Board', filters };
      return new URL((await ok(on.api, 'POST /v1/shares', { body, headers })).body.url as string).pathname;
    };
    const query = async (path: string, body: object) => (await ask(on.api, `POST ${path}`, { body, headers })).body;
    const batch = await on.question([BODY, BODY]);
    const overview = await query('/v1/query/overview', { about: 'website', ids: [websiteId], ...BODY });
    const none = { filters: [{ field: 'country', op: 'eq', value: 'FR' }] };
    const found = [
      ...(batch.body.results as Answer['body'][]),
      ...(overview.results as Answer['body'][]),
      (await on.question({ ...BODY, ...none })).body,
      await query(`${await shareOf([])}/query`, { ...BODY, ...none }),
      (await ask(on.api, `GET /v1/live?website_id=${websiteId}`, { headers })).body,
    ];
    for (const body of found) {
      expect(body.meta).toMatchObject({ ...newest, lagMs: 0 });
      expect(timesIn({ body }).asOf).toBeGreaterThanOrEqual(before);
    }
    const shared = await query(`${await shareOf(none.filters)}/query`, BODY);
    expect(timesIn({ body: shared }).asOf).toBeGreaterThanOrEqual(before);
    expect(shared.meta).not.toHaveProperty('newestEventAt');
  });

  it('is that of the newest event of a link and of a monitor, and null before the first', async () => {
    const { organizationId, headers } = on.owner;
    const create = async (path: string, body: object) =>
      (await ok(on.api, `POST ${path}`, { body: { organizationId, ...body }, headers })).body.id as string;
    const linkId = await create('/v1/links', { name: 'Sale', targetUrl: 'https://example.com/sale' });
    const monitorId = await create('/v1/monitors', { name: 'Shop', url: 'https://example.com/' });
    const askAbout = async (about: string, id: string, parameter: string) => {
      const body = { ...BODY, parameters: [parameter] };
      return timesIn(await ask(on.api, `POST /v1/query?${about}_id=${id}`, { body, headers }));
    };
    const link = () => askAbout('link', linkId, 'link_total_clicks');
    const monitor = () => askAbout('monitor', monitorId, 'uptime_summary');
    for (const before of [await link(), await monitor()])
      expect(before).toMatchObject({ newestEventAt: null, lagMs: 0 });
    const at = Date.parse(NEWEST);
    await on.projector.send(linkId, [linkClicked(at, { linkId }), linkClicked(at - 1, { linkId })]);
    await on.projector.send(monitorId, [monitorCheck(monitorId, at)]);
    for (const after of [await link(), await monitor()])
      expect(after).toMatchObject({ newestEventAt: NEWEST, lagMs: 0 });
  });

  it('says nothing of others in the partition, and stays before the first own event that waits', async () => {
    const stranger = strangerOf(on.owner.websiteId);
    await log([event(stranger)]);
    const before = second();
    const quiet = timesIn(await on.question(BODY));
    expect(quiet).toMatchObject({ lagMs: 0, newestEventAt: NEWEST });
    expect(quiet.asOf).toBeGreaterThanOrEqual(before);
    await log([event(stranger), event(on.owner.websiteId)]);
    const logged = Date.now();
    await waitUntil(() => second() > logged);
    await log([event(on.owner.websiteId)]);
    const late = timesIn(await on.question(BODY));
    expect(late.asOf).toBeGreaterThanOrEqual(before);
    expect(late.asOf).toBeLessThanOrEqual(logged);
    expect([late.lagMs > 0, late.lagMs % 1_000, late.newestEventAt]).toEqual([true, 0, NEWEST]);
    await on.projector.catchUp();
    const after = second();
    const whole = timesIn(await on.question(BODY));
    expect(whole).toMatchObject({ lagMs: 0, newestEventAt: AFTERNOON });
    expect(whole.asOf).toBeGreaterThanOrEqual(after);
  });

  it('is not after the first event that is not looked through, however many of others wait', async () => {
    const stranger = strangerOf(on.owner.websiteId);
    for (let nth = 0; nth < 65; nth++) await log([event(stranger)]);
    expect(timesIn(await on.question(BODY)).lagMs).toBeGreaterThan(0);
    await on.projector.catchUp();
    expect(timesIn(await on.question(BODY)).lagMs).toBe(0);
  });

  it('is not after that up to which hits are copied from Kafka', async () => {
    await useTopic(pool, 'hits');
    const copiedUntil = (at: Date) => pool.query('update intake_topic_offsets set caught_up_at = $1', [at]);
    const recently = Date.now() - 1_500;
    await copiedUntil(new Date(recently));
    expect(timesIn(await on.question(BODY))).toMatchObject({ asOf: second(recently), lagMs: 0 });
    const long = Date.now() - 60_000;
    await copiedUntil(new Date(long));
    const late = timesIn(await on.question(BODY));
    expect(late.asOf).toBe(second(long));
    expect(late.lagMs).toBeGreaterThanOrEqual(60_000);
    await useTopic(pool, null);
    expect(timesIn(await on.question(BODY)).lagMs).toBe(0);
  });

  it('comes with a note while clicks are in a spool, of links alone', async () => {
    const { organizationId, headers } = on.owner;
    const link = { organizationId, name: 'Sale', targetUrl: 'https://example.com/sale' };
    const { id } = (await ok(on.api, 'POST /v1/links', { body: link, headers })).body;
    const notes = async (about: string, name: string) => {
      const body = { ...BODY, parameters: [name] };
      return (await ask(on.api, `POST /v1/query?${about}`, { body, headers })).body.meta as { notes: string[] };
    };
    const ofLink = () => notes(`link_id=${id as string}`, 'link_total_clicks');
    expect(await ofLink()).toMatchObject({ notes: [] });
    let holdsClicks = true;
    const spool = { store: 'click_spool', operation: 'write', holdsClicks: () => holdsClicks } as const;
    const tracker = new Heartbeat({
      app: 'tracker',
      databaseUrl: on.api.settings.databaseUrl,
      checks: [{ ...spool, check: () => Promise.resolve() }],
      metrics: new Metrics(),
      logger: { warn: () => undefined, info: () => undefined },
    });
    tracker.onApplicationBootstrap();
    const noted = await waitUntil(ofLink, ({ notes: found }) => found.length > 0);
    expect(noted.notes).toEqual([expect.stringContaining('Clicks wait on the disk of a tracker')]);
    expect(await notes(`website_id=${on.owner.websiteId}`, 'top_pages')).toMatchObject({ notes: [] });
    holdsClicks = false;
    await waitUntil(ofLink, ({ notes: found }) => found.length === 0);
    await tracker.beforeApplicationShutdown();
  });

  it('is of the moment of a look in live figures that have not changed', async () => {
    const { organizationId, headers, id } = on.owner;
    const body = { organizationId, name: 'Quiet', domain: 'quiet.example' };
    const website = (await ok(on.api, 'POST /v1/websites', { body, headers })).body.id as string;
    const caller = { kind: 'user' as const, id, roles: new Map([[organizationId, 'owner' as const]]) };
    const target = await on.api.app.get(QueryTargets, { strict: false }).find(caller, { website_id: website });
    const live = on.api.app.get(LiveAnswers, { strict: false });
    const { signal } = new AbortController();
    const first = await live.read(target, signal);
    await waitUntil(() => second() > Date.parse(first.answer.meta.asOf));
    const before = second();
    const { answer } = await live.read(target, signal, first);
    expect(Date.parse(answer.meta.asOf)).toBeGreaterThanOrEqual(before);
  });
});

describe('an answer that was kept', () => {
  it('is not given to who waits for a position behind it', async () => {
    const kept = await on.question(BODY);
    const { positions } = await log([event(on.owner.websiteId, '/newest')]);
    expect(rowsOf(await on.question(BODY))).toEqual(rowsOf(kept));
    const position = [...positions].map(([partition, offset]) => `i${partition}:${offset}`).join();
    const waiting = on.question(BODY, '', { 'x-min-position': position });
    await on.projector.catchUp();
    const answer = await waiting;
    expect(answer.body.meta).toMatchObject({ notes: [], lagMs: 0 });
    for (const each of [answer, await on.question(BODY), await on.question(BODY, '', { 'x-min-position': position })])
      expect(rowsOf(each).map(({ name }) => name)).toContain('/newest');
  });
});

const AFTERNOON = `${DAY}T15:00:00.000Z`;

interface Times {
  readonly asOf: number;
  readonly lagMs: number;
  readonly newestEventAt?: string | null;
}

function timesIn({ body }: Pick<Answer, 'body'>): Times {
  const { asOf, ...times } = body.meta as Omit<Times, 'asOf'> & { readonly asOf: string };
  expect(asOf).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
  return { ...times, asOf: Date.parse(asOf) };
}

/** The second that an instant lies in. */
const second = (at = Date.now()): number => Math.floor(at / 1_000) * 1_000;

/** The id of another website in the same partition. */
const strangerOf = (own: string): string =>
  Array.from({ length: 100 }, (_, nth) => `stranger_${nth}`).find(
    (id) => partitionOf(id, PARTITIONS) === partitionOf(own, PARTITIONS),
  )!;

const event = (websiteId: string, path = '/'): IntakeItem => {
  const view = pageView(Date.parse(AFTERNOON), { websiteId, path });
  return { event: view, subject: websiteId, dedupe: '48h' };
};

let on: QueryApi;
let pool: Pool;
let intakeLog: Awaited<ReturnType<typeof openIntakeLog>>;

/** Stores events that are projected by the next `catchUp`. */
const log = (items: readonly IntakeItem[]) => intakeLog.send(items);

beforeAll(async () => {
  on = await startQueryApi();
  const { databaseUrl } = on.api.settings;
  pool = openPool({ url: databaseUrl, name: 'spec', max: 2 });
  intakeLog = await openIntakeLog({ databaseUrl, partitions: PARTITIONS });
});
afterAll(async () => {
  await Promise.all([intakeLog.close(), pool.end()]);
  await on.close();
});
