import type { Pool } from 'pg';
import type { AlertDecided } from '@ledgerline/contracts/events/observed-events';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { IntakeItem } from '@ledgerline/platform/intake-log/intake-log';
import { ask } from '@test/api/ask';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { projectInto, type DirectProjector } from '@test/query/projected-database';
import { type AlertQuestion, AlertWorker } from './alert-worker';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('an alert', () => {
  it('begins with the windows that end after it was made', async () => {
    await create({});
    figure = 11;
    const end = Math.ceil(madeAt / (5 * MINUTE)) * 5 * MINUTE;
    await decideAt(end + 2 * MINUTE - 1);
    expect(told()).toEqual([]);
    await decideAt(end + 2 * MINUTE);
    expect(told()).toMatchObject([{ outcome: 'fired', to: end, figure: 11, told: 1, asOf: end + 2 * MINUTE }]);
  });

  it('that is changed or paused while it fires is over, and begins anew', async () => {
    const id = await create({});
    figure = 11;
    await decideAt(madeAt + 8 * MINUTE);
    await change(id, { threshold: 20 });
    await decideAt(madeAt + 9 * MINUTE);
    expect(told()).toMatchObject([{ outcome: 'fired' }, { outcome: 'over', why: 'changed', figure: null }]);
    await decideAt(madeAt + 20 * MINUTE);
    expect(told()).toHaveLength(2);
    figure = 21;
    await decideAt(madeAt + 30 * MINUTE);
    await change(id, { enabled: false });
    await decideAt(madeAt + 60 * MINUTE);
    expect(told().slice(2)).toMatchObject([{ outcome: 'fired' }, { outcome: 'over', why: 'changed' }]);
    expect(await states()).toBe(0);
  });

  it('tells in one message what it decides late', async () => {
    await create({ window: { minutes: 60 }, pauseMinutes: 0 });
    figure = (to) => (Math.floor(to / HOUR) % 2 === 0 ? 11 : 9);
    await decideAt(madeAt + 6 * HOUR);
    const late = told().filter(({ toldAt }) => madeAt + 6 * HOUR - toldAt > HOUR + 2 * MINUTE);
    expect(late.length).toBeGreaterThan(3);
    expect(late.map((each) => each.told)).toEqual([...late.slice(1).map(() => 0), late.length]);
    for (const each of told().filter((other) => !late.includes(other))) expect(each.told).toBe(1);
  });

  it('counts the windows of a day that told nothing', async () => {
    await create({ window: { minutes: 60 }, compare: 'changed', threshold: null, percent: 50 });
    figure = (to) => (to < madeAt ? null : 10);
    const midnight = Math.ceil(madeAt / DAY) * DAY;
    await decideAt(midnight + 30 * MINUTE);
    const [counted] = events.map(({ data }) => data);
    expect(counted).toMatchObject({ outcome: 'undecided', told: 0, to: midnight });
    expect(counted?.windows).toBe(Math.ceil((midnight - madeAt) / (5 * MINUTE)));
    expect(told()).toEqual([]);
  });

  it('says that it is blind where nothing was counted for ten minutes', async () => {
    await create({ compare: 'silence', threshold: null });
    figure = 0;
    lag = HOUR;
    await decideAt(madeAt + 8 * MINUTE);
    expect(events).toEqual([]);
    await decideAt(madeAt + 20 * MINUTE);
    expect(told()).toMatchObject([{ outcome: 'blind', why: 'behind', figure: null }]);
    lag = 0;
    await decideAt(madeAt + 30 * MINUTE);
    expect(told().slice(1)).toMatchObject([{ outcome: 'seeing' }, { outcome: 'fired', figure: 0 }]);
  });

  it('is not decided by a copy of the installation', async () => {
    await create({});
    figure = 11;
    await run(
      pool,
      sql`insert into delivery_sender (public_api_url, system_identifier, epoch) values ('https://other.example', '1', '1')`,
    );
    await decideAt(madeAt + HOUR);
    expect(events).toEqual([]);
    await run(pool, sql`delete from delivery_sender`);
  });
});

describe('a thousand alerts', () => {
  it('ask equal questions once', async () => {
    const id = await create({});
    const [table] = await run<{ name: string }>(
      pool,
      sql`select format('%I.alerts', nspname) as name from pg_namespace where nspname like 'registry_v%'`,
    );
    await pool.query(`insert into ${table?.name} select 'alr_' || n, organization_id,
      details || jsonb_build_object('name', n::text, 'filters', jsonb_build_array(jsonb_build_object('field', 'path', 'op', 'eq', 'value', '/' || n % 50))),
      created_at, updated_at, revision from ${table?.name}, generate_series(1, 1000) n where id = '${id}'`);
    await ask(api, 'POST /v1/tags', { body: { organizationId: owner.organizationId, name: 'Another' }, ...owner });
    await projector.catchUp();
    figure = 11;
    const before = process.cpuUsage();
    await decideAt(madeAt + 8 * MINUTE);
    if (process.env['PRINT_CPU']) console.log(process.cpuUsage(before));
    expect(told().filter(({ outcome }) => outcome === 'fired')).toHaveLength(1_001);
    expect(asked).toHaveLength(51);
    await pool.query(`delete from ${table?.name} where id like 'alr\\_%' and length(id) < 10`);
  });
});

let api: TestApi;
let owner: Owner;
let projector: DirectProjector;
let pool: Pool;
let store: EventStore;
let figure: number | ((to: number) => number | null) = 0;
let lag = 0;
let madeAt = 0;
let names = 0;
let events: AlertDecided[] = [];
let asked: AlertQuestion[] = [];

/** Decisions but for counts of windows, in the order in which they were sent. */
const told = () =>
  events.map(({ data }) => data).filter(({ outcome }) => outcome !== 'quiet' && outcome !== 'undecided');

async function decideAt(now: number): Promise<void> {
  const worker = new AlertWorker({
    pool,
    store,
    publicApiUrl: api.settings.publicApiUrl,
    logger: { warn: () => undefined, info: () => undefined } as never,
    clock: () => Promise.resolve(now),
    intakeLog: {
      send: (items: readonly IntakeItem[]) => {
        for (const { event } of items) if (event.type === 'AlertDecided') events.push(event);
        return Promise.resolve({ outcomes: [], positions: new Map() });
      },
    },
    figures: {
      read: (question, windows) => {
        asked.push(question);
        const figures = windows.map(({ to }) => (typeof figure === 'number' ? figure : figure(to)));
        return Promise.resolve({ asOf: now - lag, hasSpooledClicks: false, figures });
      },
    },
  });
  await worker.runOnce();
}

async function create(rule: object): Promise<string> {
  const { organizationId, websiteId, headers } = owner;
  const of = { organizationId, websiteId, name: `Alert ${++names}`, figure: 'pageviews', compare: 'above' };
  const body = { ...of, threshold: 10, window: { minutes: 5 }, ...rule };
  const made = await ask(api, 'POST /v1/alerts', { body, headers });
  if (made.status !== 201) throw new Error(made.text);
  madeAt = Date.parse(String(made.body.updatedAt));
  await projector.catchUp();
  await run(
    pool,
    sql`insert into tracker_minutes select generate_series(date_trunc('minute', now()) - interval '2 hours', now() + interval '2 days', '1 minute')
      on conflict do nothing`,
  );
  await decideAt(madeAt);
  return String(made.body.id);
}

async function change(id: string, body: object): Promise<void> {
  const { status, text } = await ask(api, `PATCH /v1/alerts/${id}`, { body, headers: owner.headers });
  if (status !== 200) throw new Error(text);
  await projector.catchUp();
}

const states = async () => (await run(pool, sql`select from alert_states`)).length;

beforeAll(async () => {
  api = await startTestApi();
  await api.app.get(AlertWorker, { strict: false }).beforeApplicationShutdown(); // others decide here
  owner = await ownerWithWebsite(api);
  const { databaseUrl } = api.settings;
  projector = await projectInto(databaseUrl, []);
  pool = openPool({ url: databaseUrl, name: 'spec', max: 4 });
  store = await openEventStore({ databaseUrl });
});

afterEach(async () => {
  const { headers, organizationId } = owner;
  const { body } = await ask(api, `GET /v1/alerts?organizationId=${organizationId}`, { headers });
  for (const { id } of body.data as { id: string }[]) await ask(api, `DELETE /v1/alerts/${id}`, { headers });
  await projector.catchUp();
  await run(pool, sql`delete from alert_states`);
  events = [];
  asked = [];
  lag = 0;
});

afterAll(async () => {
  await Promise.all([projector.close(), store.close(), pool.end()]);
  await api.close();
});
