import type { Pool } from 'pg';
import type { CustomEventTracked } from '@ledgerline/contracts/events/observed-events';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { customEvent, linkClick } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { MemoryLog } from '@test/projector/memory-log';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../open-pool';
import { linksGroup } from '../projections/links/links-group';
import type { TableChanges, ProjectionGroup } from '../projections/projection-group';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { openLiveVersion } from '../versions/live-version';
import { bind } from './bound-group';

describe('the runner of a partition', () => {
  it('moves its checkpoint past events that concern nobody', async () => {
    const log = new MemoryLog([customEvent('site_1', 1), customEvent('site_1', 2)]);
    const runner = await open(log);
    expect(await runner.step()).toBe('idle');
    expect(await checkpoint()).toMatchObject({ cursor: '1', events: '0', as_of: null });
  });

  it('writes nothing stale when it wakes up after its claim was taken over', async () => {
    const log = new MemoryLog([linkClick('link_1', 1)]);
    const gate = barrier();
    const hanging = await open(log, { ...linksGroup(), prepare: prepareBehind(gate) });
    const woken = hanging.step();
    await gate.reached;
    const rival = await open(log);
    await waitUntil(
      () => rival.step(),
      (step) => step !== 'outrun',
    );
    gate.open();
    expect(await woken).toBe('outrun');
    expect(await clicks()).toBe(1);
    expect(await hanging.step()).toBe('idle');
    expect(await clicks()).toBe(1);
  });

  it('leaves rows and checkpoint as they were where no event is the cause, and says why it is stopped', async () => {
    const log = new MemoryLog([linkClick('link_1', 1), linkClick('', 2)]);
    const failing = await open(log, {
      ...linksGroup(),
      prepare: async (hits) => {
        const compute = await linksGroup().prepare(hits);
        return async (on, schema) => {
          const { statements } = await compute(on, schema);
          return { statements: [...statements, sql`select from missing_table`] };
        };
      },
    });
    await expect(failing.step()).rejects.toThrow('relation "missing_table" does not exist');
    expect(await clicks()).toBe(0);
    await failing.stop('no table');
    expect(await checkpoint()).toMatchObject({ cursor: '', stopped: 'no table' });
    expect(await (await open(log)).step()).toBe('idle');
    expect(await checkpoint()).toMatchObject({ cursor: '1', stopped: null });
  });

  it('forgets what it worked out ahead when its place was taken', async () => {
    const log = new MemoryLog([1, 2, 3, 4].map(inOneSession), () => 1);
    const slow = await open(log, websites());
    const rival = await open(log, websites());
    expect(await slow.step()).toBe('moved');
    expect(await rival.step()).toBe('moved');
    expect(await slow.step()).toBe('outrun');
    expect(await rival.step()).toBe('moved');
    expect(await slow.step()).toBe('idle');
    expect(await sessions()).toEqual([{ hits: 4 }]);
  });

  it('forgets what it worked out ahead on top of a batch that failed', async () => {
    const log = new MemoryLog([1, 2, 3].map(inOneSession), () => 1);
    const runner = await open(log, failingOnce(websites(), '1'));
    expect(await runner.step()).toBe('moved');
    await expect(runner.step()).rejects.toThrow('canceling statement');
    expect(await sessions()).toEqual([{ hits: 1 }]);
    expect([await runner.step(), await runner.step()]).toEqual(['moved', 'idle']);
    expect(await sessions()).toEqual([{ hits: 3 }]);
  });

  it('works nothing out ahead on top of more hits than memory should hold', async () => {
    const log = new MemoryLog([1, 2, 3].map(inOneSession), () => 1);
    const ahead: boolean[] = [];
    const runner = await open(
      log,
      keepingHits(websites(), Infinity, (unwritten) => ahead.push(unwritten !== undefined)),
    );
    expect([await runner.step(), await runner.step(), await runner.step()]).toEqual(['moved', 'moved', 'idle']);
    expect(ahead).toEqual([false, false, false]);
    expect(await sessions()).toEqual([{ hits: 3 }]);
  });

  it('keeps its claim while it computes for longer than a transaction may idle', async () => {
    const log = new MemoryLog([1, 2, 3].map(inOneSession), () => 1);
    const impatient = openProjectionPool(database.url, { max: 4, idleInTransactionTimeoutMs: IDLE_MS });
    const runner = await open(log, computing(websites(), 1.5 * IDLE_MS), impatient);
    expect([await runner.step(), await runner.step(), await runner.step()]).toEqual(['moved', 'moved', 'idle']);
    expect(await sessions()).toEqual([{ hits: 3 }]);
    await impatient.end();
  });

  it('does not take a log for another that has replaced it', async () => {
    const log = new MemoryLog([linkClick('link_1', 1)]);
    const runner = await open(log);
    log.currentEpoch = 'another';
    await expect(runner.step()).rejects.toThrow(/^The log was replaced: /);
  });

  let database: TestDatabase;
  let pool: Pool;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4, idleInTransactionTimeoutMs: 60_000 });
  });

  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  async function open(log: MemoryLog, group: ProjectionGroup<LoggedHit> = linksGroup(), by = pool) {
    const bound = bind(group, log, by);
    await openLiveVersion(by, bound, log);
    return bound.runner({ partition: 0, batch: 1000, version: 1 });
  }

  const websites = () => new WebsitesGroup(pool);

  const sessions = () => run<{ hits: number }>(pool, sql`select cardinality(hit_at) as hits from websites_v1.sessions`);

  const checkpoint = async () => (await run(pool, sql`select * from projection_checkpoints`))[0];

  async function clicks(): Promise<number> {
    const [row] = await run<{ clicks: number }>(
      pool,
      sql`select coalesce(sum(clicks), 0)::integer as clicks from links_v1.link_clicks_15min where span = 1`,
    );
    return row!.clicks;
  }
});

const IDLE_MS = 1_000;

function inOneSession(n: number): CustomEventTracked {
  const event = customEvent('site_1', n);
  return { ...event, data: { ...event.data, visitorId: '0123456789abcdef'.repeat(2) } };
}

/** The group, except that the batch that begins there is canceled, the first time. */
function failingOnce(group: WebsitesGroup, cursor: Cursor): WebsitesGroup {
  const prepare = group.prepare.bind(group);
  let fails = 0;
  group.prepare = async (hits) => {
    const compute = await prepare(hits);
    return async (...where) => {
      const changes = await compute(...where);
      const isCanceled = hits.some((hit) => group.cursorOf(hit) === cursor) && fails++ === 0;
      const cancel = sql`select pg_cancel_backend(pg_backend_pid())`;
      return isCanceled ? { ...changes, statements: [...changes.statements, cancel] } : changes;
    };
  };
  return group;
}

/** The group, except that it lets nothing else have a turn for so long before each batch. */
function computing(group: WebsitesGroup, ms: number): WebsitesGroup {
  const prepare = group.prepare.bind(group);
  group.prepare = async (hits) => {
    const compute = await prepare(hits);
    return (...where) => {
      for (const until = performance.now() + ms; performance.now() < until;);
      return compute(...where);
    };
  };
  return group;
}

/** The group, as if each batch kept so many hits; tells on top of what a batch is worked out. */
function keepingHits(
  group: WebsitesGroup,
  hits: number,
  tell: (unwritten: TableChanges | undefined) => void,
): WebsitesGroup {
  const prepare = group.prepare.bind(group);
  group.prepare = async (logged) => {
    const compute = await prepare(logged);
    return async (on, schema, unwritten) => {
      tell(unwritten);
      return { ...(await compute(on, schema, unwritten)), hits };
    };
  };
  return group;
}

/** Something to wait in front of, as a stopped process would; `reached` says that somebody does. */
function barrier() {
  let open: () => void = () => undefined;
  let arrive: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  return { open: () => open(), arrive: () => arrive(), opened, reached };
}

/** Prepares batches that get stuck while they are worked out. */
const prepareBehind =
  (gate: ReturnType<typeof barrier>): ProjectionGroup<LoggedHit>['prepare'] =>
  async (hits) => {
    const compute = await linksGroup().prepare(hits);
    return async (on, schema) => {
      gate.arrive();
      await gate.opened;
      return compute(on, schema);
    };
  };
