import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { encodeEventId } from '@ledgerline/contracts/events/event-id';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { schemaOf } from '@ledgerline/contracts/read-models/registry';
import { ANONYMOUS, type Caller } from '@ledgerline/domain/access/caller';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openDataSource } from '@ledgerline/platform/database/data-source';
import { run } from '@ledgerline/platform/database/pool';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { type IntakeLog, partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { ProfileKey, ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { sealProfile } from '@ledgerline/platform/profiles/sealed-profile';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { readLayout, tableVersionOf } from '@ledgerline/platform/table-versions/live-tables';
import { QueryRunner, RunQuery } from '../../apps/api/src/query/execution/query-runner';
import { responseTo } from '../../apps/api/src/query/execution/response';
import { AnswerCache } from '../../apps/api/src/query/snapshot/answer-cache';
import { openProjectionPool } from '../../apps/projector/src/open-pool';
import { rebuild } from '../../apps/projector/src/rebuild/rebuild';
import { repair } from '../../apps/projector/src/reconcile/run-reconciling';
import { boundGroups, type BoundGroup } from '../../apps/projector/src/runner/bound-group';
import type { LogRunner } from '../../apps/projector/src/runner/partition-runner';
import { sealDays } from '../../apps/projector/src/sealing/seal-days';
import { liveVersion, openLiveVersion } from '../../apps/projector/src/versions/live-version';
import { createIndexes } from '../../apps/projector/src/versions/version-tables';
import { ask } from '../api/ask';
import { ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { pageView } from '../events/observed-events';
import { runs } from '../random-runs';
import { waitUntil } from '../wait-until';

describe('answers that are kept', () => {
  it('are those of an api that keeps none, whatever happened before', async () => {
    const step = fc.record({
      what: fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])),
      n: fc.nat(1_000),
      asked: fc.uniqueArray(fc.nat(QUESTIONS.length - 1), { minLength: 2, maxLength: 4 }),
    });
    const property = fc.asyncProperty(fc.array(step, { minLength: 14, maxLength: 14 }), async (steps) => {
      const scene = await newScene();
      for (const { what, n, asked } of steps) {
        const compare = async () => {
          for (const at of asked) await expectSame(scene, at, n);
        };
        await compare();
        await STEPS[what](scene, n, compare);
        await compare();
        seen[what] = (seen[what] ?? 0) + 1;
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: runs(5), endOnFailure: true });
    expect(Object.keys(seen).sort()).toEqual(Object.keys(STEPS).sort());
    const { hits, misses } = keeping.app.get(AnswerCache);
    expect(Math.min(hits, misses)).toBeGreaterThan(150);
    expect(fresh.app.get(AnswerCache)).toMatchObject({ hits: 0, misses: 0, size: 0 });
  }, 400_000);
});

const SEED = 20_261_126;
const PARTITIONS = 2;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const START = Date.parse('2026-03-05T09:50:00Z');
const seen: Partial<Record<keyof typeof STEPS, number>> = {};

/** A website, and the time. */
interface Scene {
  readonly owner: Owner;
  now: number;
  isPublic: boolean;
}

const LISTS = ['top_pages', 'country', 'entry_pages', 'page_performance'];
const FUNNEL = { steps: [{ condition: { kind: 'page' } }, { condition: { kind: 'event' } }], window: '1d' };
const filter = (field: string, op: string, value: string) => ({ field, op, value });

/** The questions that are asked again and again: bodies, and time zones. */
const QUESTIONS: readonly (readonly [body: object, timezone?: string])[] = [
  [{ preset: 'today', parameters: ['summary_metrics', 'active_stats', 'today_metrics'], compare: 'previous_period' }],
  [{ preset: 'today', parameters: ['events_by_date'], granularity: 'hourly' }, 'Asia/Kolkata'],
  [{ preset: 'last_7d', parameters: [...LISTS, 'profile_list', 'active_stats'], limit: 5 }],
  [{ preset: 'this_month', parameters: ['sessions_time_series', 'top_pages'], compare: 'previous_year' }],
  [{ startDate: '2026-03-01', endDate: '2026-03-04', parameters: LISTS, filters: [filter('country', 'eq', 'DE')] }],
  [{ startDate: '2026-02-20', endDate: '2026-04-04', parameters: ['events_by_date'] }, 'America/New_York'],
  [{ startDate: '2026-03-01', endDate: '2026-03-05', parameters: [{ name: 'funnel', funnel: FUNNEL }] }],
  [{ preset: 'last_14d', parameters: ['country'], filters: [filter('country', 'eq', 'Deutschland')] }],
  [{ preset: 'last_7d', parameters: LISTS, filters: [filter('path', 'contains', '2')], sortBy: 'visitors' }],
  [{ preset: 'last_30d', parameters: ['session_list', 'custom_events_recent', 'profile_list', 'recent_errors'] }],
  [
    [
      { preset: 'last_7d', parameters: ['top_pages'], id: 'a' },
      { preset: 'yesterday', parameters: ['summary_metrics'] },
    ],
  ],
];

/** The steps that may happen between two questions. */
const STEPS = {
  nothing: () => Promise.resolve(),
  batch: (scene: Scene, n: number) => send(scene, [view(scene, n, scene.now - MINUTE), view(scene, n + 1, scene.now)]),
  lateHit: (scene: Scene, n: number) => send(scene, [view(scene, n, scene.now - (1 + (n % 40)) * 6 * HOUR)]),
  minutes: async (scene: Scene, n: number, compare: () => Promise<void>) => {
    await send(scene, [view(scene, n, scene.now)]);
    await compare();
    scene.now += (n % 9) * MINUTE;
  },
  hours: (scene: Scene, n: number) => Promise.resolve(void (scene.now += (n % 30) * HOUR)),
  registry: async (scene: Scene, n: number) => {
    scene.isPublic = n % 2 === 0;
    const body = { isPublic: scene.isPublic, visitorIdentity: n % 5 ? 'daily' : 'stable' };
    const { headers } = scene.owner;
    const { status } = await ask(keeping, `PATCH /v1/websites/${scene.owner.websiteId}`, { body, headers });
    expect(status).toBe(200);
    const head = await eventStore.head(0);
    for (const api of [keeping, fresh]) expect(await api.app.get(LiveRegistry).hasReached(head, 5_000)).toBe(true);
  },
  erasure: async (scene: Scene, n: number, compare: () => Promise<void>) => {
    const { websiteId } = scene.owner;
    const profile = `person ${n}`;
    const key = await keys.obtain(websiteId, profile);
    const { type: _, data, ...hit } = view(scene, n, scene.now);
    const { organizationId, zone, identity, sessionId, visitorId } = data;
    const sealed = sealProfile(key, profile, { name: 'Ann' });
    const who = { organizationId, websiteId, zone, identity, sessionId, visitorId, ...sealed };
    await send(scene, [view(scene, n, scene.now), { ...hit, id: nextId(), type: 'VisitorIdentified', data: who }]);
    await compare();
    await keys.destroy(websiteId, key.subject);
  },
  repair: async (scene: Scene, n: number, compare: () => Promise<void>) => {
    await damage(scene, n, compare);
    const { websiteId } = scene.owner;
    const found = await repair(websites, partitionOf(websiteId, PARTITIONS), { subject: websiteId, days: [] });
    expect(found).not.toEqual([]);
  },
  rebuild: async (scene: Scene, n: number, compare: () => Promise<void>) => {
    await damage(scene, n, compare);
    const tables = n % 2 ? { tables: [websiteRollups] } : {}; // alone, it answers at the checkpoint of the others
    expect(await rebuild({ group: websites, flip: true, accept: true, ...tables })).toMatchObject({ flipped: true });
  },
  parked: async (scene: Scene, n: number, compare: () => Promise<void>) => {
    const { websiteId } = scene.owner;
    const version = await liveVersion(pool, websites);
    const table = `${schemaOf('websites', version)}.sessions`;
    const hit = view(scene, n, scene.now, 'parked');
    const poison = `check (visitor is distinct from '${hit.data.visitorId}'::uuid) not valid`;
    await run(pool, { text: `alter table ${table} add constraint poison ${poison}`, values: [] });
    await send(scene, [hit, view(scene, n, scene.now)]);
    await run(pool, { text: `alter table ${table} drop constraint poison`, values: [] });
    await compare();
    const key = { group: 'websites' as const, version, partition: partitionOf(websiteId, PARTITIONS) };
    expect(await websites.retryParked({ key })).toEqual({ projected: 1, failed: 0 });
  },
  sealing: async () => {
    const schema = schemaOf('websites', await liveVersion(pool, websites));
    expect((await sealDays({ pool, schema, quietMs: 0 })).failed).toBe(0);
  },
};

let keeping: TestApi;
let fresh: TestApi;
let pool: Pool;
let intakeLog: IntakeLog;
let eventStore: EventStore;
let source: DataSource;
let keys: ProfileKeys;
let websites: BoundGroup;
let runners: readonly LogRunner[];
let ids = 0;

beforeAll(async () => {
  keeping = await startTestApi();
  const { databaseUrl } = keeping.settings;
  fresh = await startTestApi({ DATABASE_URL: databaseUrl, ANSWER_CACHE_MB: '0' });
  pool = openProjectionPool(databaseUrl, { max: 4 });
  intakeLog = await openIntakeLog({ databaseUrl, partitions: PARTITIONS });
  eventStore = await openEventStore({ databaseUrl });
  source = await openDataSource({ url: databaseUrl, name: 'spec', max: 1, entities: [ProfileKey] });
  keys = new ProfileKeys(source);
  websites = boundGroups({ eventStore, intakeLog, pool }).find(({ name }) => name === 'websites')!;
  await createIndexes(pool, websites, await openLiveVersion(pool, websites, websites.log));
  runners = Array.from({ length: PARTITIONS }, (_, partition) =>
    websites.runner({ partition, batch: 5_000, version: 'live' }),
  );
});
afterAll(async () => {
  await Promise.all([intakeLog.close(), eventStore.close(), source.destroy(), pool.end()]);
  await fresh.close();
  await keeping.close();
});

async function newScene(): Promise<Scene> {
  const owner = await ownerWithWebsite(keeping);
  const head = await eventStore.head(0);
  for (const api of [keeping, fresh]) expect(await api.app.get(LiveRegistry).hasReached(head, 5_000)).toBe(true);
  const scene = { owner, now: START, isPublic: false };
  await send(scene, [view(scene, 1, START - DAY), view(scene, 2, START - 2 * MINUTE)]);
  return scene;
}

/** A question to both apis at the same moment, by the owner or by somebody without credentials. */
async function expectSame({ owner, now, isPublic }: Scene, at: number, n: number): Promise<void> {
  const [body, timezone] = QUESTIONS[at]!;
  const roles = new Map([[owner.organizationId, 'owner' as const]]);
  const caller: Caller = isPublic && n % 2 === 0 ? ANONYMOUS : { kind: 'user', id: owner.id, roles };
  const params = { website_id: owner.websiteId, ...(timezone && { timezone }) };
  const answer = async ({ app }: TestApi) =>
    JSON.stringify(
      responseTo(body, await app.get(QueryRunner).execute(new RunQuery({ caller, params, body, now }))),
      withoutMoment,
    );
  const expected = await answer(fresh);
  expect(await answer(keeping)).toBe(expected);
  expect(await answer(keeping)).toBe(expected);
}

/** `asOf` is of the moment of a request, whether its answer was kept or not. */
const withoutMoment = (name: string, value: unknown): unknown => (name === 'asOf' ? undefined : value);

/** A page view by one of a few visitors, or by another one. */
function view({ owner }: Scene, n: number, at: number, visitor = `${n % 7}`) {
  const { websiteId, organizationId } = owner;
  const visitorId = createHash('md5').update(`${websiteId} ${visitor}`).digest('hex');
  const country = ['DE', 'FR', null][n % 3] ?? null;
  const given = { websiteId, organizationId, visitorId, country, path: `/page ${n % 5}` };
  return { ...pageView(at, given), id: nextId() };
}

const nextId = () => encodeEventId(createHash('md5').update(`${SEED} ${ids++}`).digest());

async function send({ owner }: Scene, events: readonly ObservedEvent[]): Promise<void> {
  await intakeLog.send(events.map((event) => ({ event, subject: owner.websiteId, dedupe: '48h' })));
  for (const runner of runners)
    await waitUntil(
      () => runner.step().catch(() => 'failed'), // the next step takes less, and parks one event at last
      (step) => step === 'idle',
    );
}

/** A row twice, which is answered, and kept. */
async function damage(scene: Scene, n: number, compare: () => Promise<void>): Promise<void> {
  const layout = await readLayout(pool, 'websites');
  const schema = schemaOf('websites', tableVersionOf(layout!, websiteRollups.name));
  const text = `insert into ${schema}.website_rollups
    select (jsonb_populate_record(kept, jsonb_build_object('number', kept.number + 1))).* from ${schema}.website_rollups kept
    where website = (select id from dictionary where scope = 0 and text = $1) order by number limit 1`;
  await run(pool, { text, values: [scene.owner.websiteId] });
  await send(scene, [view(scene, n, scene.now)]);
  await compare();
}
