import { setTimeout } from 'node:timers/promises';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../test/postgres/test-database';
import { customEvent, linkClick } from '../../../../test/projector/hits';
import { MemoryLog } from '../../../../test/projector/memory-log';
import { openProjectionPool } from '../open-pool';
import { bind } from '../projections/catalogue';
import { linksGroup } from '../projections/links/links-group';
import type { ProjectionGroup } from '../projections/projection-group';
import { openLiveVersion } from './versions';

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
    const woken = hanging.step().catch((error: unknown) => error);
    await gate.reached;
    const rival = await open(log);
    while ((await rival.step()) === 'outrun') await setTimeout(20);
    gate.open();
    expect(await woken).toBeInstanceOf(Error);
    expect(await clicks()).toBe(1);
    expect(await hanging.step()).toBe('idle');
    expect(await clicks()).toBe(1);
  });

  it('leaves rows and checkpoint as they were when a batch fails, and says why it stands still', async () => {
    const log = new MemoryLog([linkClick('link_1', 1), linkClick('', 2)]);
    const failing = await open(log, {
      ...linksGroup(),
      prepare: async (hits) => {
        const apply = await linksGroup().prepare(hits);
        return async (on, schema) => {
          await apply(on, schema);
          throw new RangeError('a poisoned event');
        };
      },
    });
    await expect(failing.step()).rejects.toThrow('a poisoned event');
    expect(await clicks()).toBe(0);
    await failing.stop('a poisoned event');
    expect(await checkpoint()).toMatchObject({ cursor: '', stopped: 'a poisoned event' });
    expect(await (await open(log)).step()).toBe('idle');
    expect(await checkpoint()).toMatchObject({ cursor: '1', stopped: null });
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
    pool = openProjectionPool(database.url, { max: 4, idleInTransactionTimeoutMs: 300 });
  });

  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  async function open(log: MemoryLog, group: ProjectionGroup<LoggedHit> = linksGroup()) {
    const bound = bind(group, log, pool);
    await openLiveVersion(pool, bound, log);
    return bound.runner({ partition: 0, batch: 1000, version: 1 });
  }

  const checkpoint = async () => (await run(pool, sql`select * from projection_checkpoints`))[0];

  async function clicks(): Promise<number> {
    const [row] = await run<{ clicks: number }>(
      pool,
      sql`select coalesce(sum(clicks), 0)::integer as clicks from links_v1.link_clicks_quarterly`,
    );
    return row!.clicks;
  }
});

/** Something to wait in front of, as a stopped process would; `reached` says that somebody does. */
function barrier() {
  let open: () => void = () => undefined;
  let arrive: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  return { open: () => open(), arrive: () => arrive(), opened, reached };
}

/** Prepares batches that get stuck inside their transaction. */
const prepareBehind =
  (gate: ReturnType<typeof barrier>): ProjectionGroup<LoggedHit>['prepare'] =>
  async (hits) => {
    const apply = await linksGroup().prepare(hits);
    return async (on, schema) => {
      gate.arrive();
      await gate.opened;
      await apply(on, schema);
    };
  };
