import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { rollupNamed } from '@ledgerline/contracts/aggregates/website-aggregates';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { customEvent, linkClick } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { keptSums, readKept } from '@test/projector/kept-sums';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../open-pool';
import { rebuild } from '../rebuild/rebuild';
import { boundGroups } from './bound-group';
import { listProjections } from './list-projections';
import { Projector } from './projector';

describe('projectors', () => {
  it('count every event once, however many of them run and whatever happens to their connections', async () => {
    const projectors = [await startProjector(), await startProjector()];
    for (let round = 0; round < 12; round++) {
      await send(100);
      await run(
        admin,
        sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'ledgerline-projector'`,
      );
    }
    await caughtUp();
    expect(await counted()).toEqual({ clicks: sent, events: sent, sessions: sent });
    for (const projector of projectors) await projector.stop();
  });

  it('rebuild while hits arrive, and answer from the new version, equal row for row', async () => {
    const projector = await startProjector();
    const writing = keepSending();
    for (const group of groups()) {
      const result = await rebuild({ group, flip: true });
      expect(result).toMatchObject({ version: 2, differences: [], flipped: true });
    }
    await writing.stop();
    await caughtUp();
    expect(await counted()).toEqual({ clicks: sent, events: sent, sessions: sent });
    for (const group of groups()) {
      expect(await rebuild({ group, flip: false })).toMatchObject({ differences: [], flipped: false });
    }
    const live = (await standings()).filter((each) => each.live);
    expect(new Set(live.map(({ version }) => version))).toEqual(new Set([2]));
    await projector.stop();
  });

  it('leave a version that differs unanswered', async () => {
    const [, websites] = groups();
    await run(
      pool,
      sql`update websites_v2.custom_events set path = path + 1
        where ctid = (select min(ctid) from websites_v2.custom_events)`,
    );
    const { differences, flipped } = await rebuild({ group: websites!, flip: true });
    expect(flipped).toBe(false);
    expect(differences).toMatchObject([{ table: 'custom_events', onlyBefore: 1, onlyAfter: 1 }]);
  });

  it('stand still with a plain message when the log was replaced, and go on after a rebuild', async () => {
    await run(admin, sql`update intake_log set epoch = gen_random_uuid()`);
    const projector = await startProjector();
    const stopped = async () => (await standings()).filter((each) => each.live && each.stopped !== null);
    const [first] = await waitUntil(stopped, ({ length }) => length === (groups().length - 1) * PARTITIONS);
    expect(first?.stopped).toMatch(/^The log was replaced: .* Rebuild websites\.$/);
    for (const group of groups().slice(1)) {
      expect(await rebuild({ group, flip: true })).toMatchObject({ differences: undefined, flipped: true });
    }
    expect(await stopped()).toEqual([]);
    await projector.stop();
  });

  const PARTITIONS = 2;
  let database: TestDatabase;
  let admin: Pool;
  let pool: Pool;
  let eventStore: EventStore;
  let intakeLog: IntakeLog;
  let sent = 0;
  const logger = createLogger('projector', 'silent');

  beforeAll(async () => {
    database = await createTestDatabase();
    admin = openPool({ url: database.url, name: 'admin', max: 2 });
    pool = openProjectionPool(database.url);
    eventStore = await openEventStore({ databaseUrl: database.url });
    intakeLog = await openIntakeLog({ databaseUrl: database.url, partitions: PARTITIONS });
  });

  afterAll(async () => {
    await Promise.all([intakeLog.close(), eventStore.close(), pool.end(), admin.end()]);
    await database.drop();
  });

  const groups = () => boundGroups({ eventStore, intakeLog, pool });
  const standings = async () => (await listProjections(boundGroups({ eventStore, intakeLog, pool: admin }))).standings;

  async function startProjector(): Promise<Projector> {
    const projector = new Projector({ pool, groups: groups(), maintenance: [], logger });
    await projector.start();
    return projector;
  }

  /** So many custom events of one visitor each, and as many clicks. */
  async function send(count: number): Promise<void> {
    const hits = Array.from({ length: count }, (_, at) => [
      { event: customEvent('site_1', sent + at), subject: 'site_1', dedupe: 'never' as const },
      { event: linkClick('link_1', sent + at), subject: 'link_1', dedupe: 'never' as const },
    ]);
    await intakeLog.send(hits.flat());
    sent += count;
  }

  function keepSending() {
    const stopping = new AbortController();
    const loop = (async () => {
      while (!stopping.signal.aborted) {
        await send(20);
        await sleep(50);
      }
    })();
    return {
      stop: async () => {
        stopping.abort();
        await loop;
      },
    };
  }

  async function caughtUp(): Promise<void> {
    await waitUntil(
      async () => (await standings()).filter((each) => each.live),
      (live) => live.length > 0 && live.every(({ cursor, head }) => cursor === head),
    );
  }

  async function counted() {
    const schema = async (group: string) => {
      const [row] = await run<{ v: number }>(
        admin,
        sql`select live_version as v from projection_groups where name = ${group}`,
      );
      return `${group}_v${row!.v}`;
    };
    const links = await schema('links');
    const websites = await schema('websites');
    const [row] = await run<{ clicks: number }>(admin, {
      text: `select sum(clicks)::integer as clicks from ${links}.link_clicks_15min where span = 1`,
      values: [],
    });
    const { [rollupNamed('custom_events').name]: days = [] } = keptSums(await readKept(admin, websites));
    type Day = [website: number, day: number, events: [number], users: Pairs, sessions: Pairs];
    const kept = days.map((text) => JSON.parse(text) as Day);
    const sum = (numbers: readonly number[]) => numbers.reduce((all, number) => all + number, 0);
    return {
      clicks: row?.clicks,
      events: sum(kept.map(([, , [events]]) => events)),
      sessions: sum(kept.flatMap(([, , , , sessions]) => sessions.map(([, count]) => count))),
    };
  }
});

type Pairs = readonly (readonly [at: number, count: number])[];
