import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { type Cursor, LogTampered } from '@ledgerline/platform/log/log-reader';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { linkClick } from '@test/events/observed-events';
import { type TestDatabase, createTestDatabase } from '@test/postgres/test-database';
import { failing } from '@test/projector/failing-group';
import { PARTITIONS, runnersOf, stepAll } from '@test/projector/live-runners';
import { MemoryLog, PartitionedMemoryLog } from '@test/projector/memory-log';
import { openProjectionPool } from '../open-pool';
import { linksGroup } from '../projections/links/links-group';
import { openLiveVersion } from '../versions/live-version';
import { type BoundGroup, bind } from './bound-group';
import type { RunnerStep } from './partition-runner';
import { type LiveOptions, type LiveRunner, runPartition } from './run-partition';

describe('the loop of a partition', () => {
  it('stands by while another process moves the checkpoint, and goes on when nobody does', async () => {
    const done = await runWith({ cursors: ['1', '2', '2'], steps: ['outrun', 'moved'] });
    expect(done).toEqual(['step', 'locate', 'locate', 'locate', 'step']);
  });

  it('goes on at once where the checkpoint was only held', async () => {
    const done = await runWith({ cursors: ['0'], steps: ['outrun', 'moved'] });
    expect(done).toEqual(['step', 'locate', 'step']);
  });

  it('catches up by itself, then goes on with others, and by itself again when it is behind', async () => {
    const done = await runWith({ cursors: [], steps: ['moved', 'idle', 'idle', 'moved', 'idle', 'idle'] });
    expect(done).toEqual(['step', 'step', 'step at the head', 'step at the head', 'step', 'step at the head']);
  });
});

/** Returns what a loop calls until it has made these steps. */
async function runWith({ cursors, steps }: { cursors: readonly Cursor[]; steps: readonly RunnerStep[] }) {
  const called: string[] = [];
  const ending = new AbortController();
  const found = [...cursors];
  const results = [...steps];
  const call = (name: string) => {
    called.push(name);
    const result = results.shift();
    if (results.length === 0) ending.abort();
    return result === undefined ? sleep(0, 'idle' as const) : Promise.resolve(result);
  };
  const runner: LiveRunner = {
    cursor: '0',
    step: () => call('step'),
    stepAtHead: () => call('step at the head'),
    stop: () => Promise.resolve(),
    locate: () => {
      called.push('locate');
      return Promise.resolve(found.shift());
    },
  };
  await runPartition({
    runner,
    log: new MemoryLog(),
    partition: 0,
    logger: createLogger('projector', 'silent'),
    invalidateCaches: () => undefined,
    signal: ending.signal,
  });
  return called;
}

describe('partitions at the head of the log', () => {
  it('are written in one transaction', async () => {
    const runners = await open();
    add([0, 1, 2]);
    expect(await stepAll(runners)).toEqual(['idle', 'idle', 'idle']);
    expect(await checkpoints()).toEqual(at('0', '0', '0'));
    expect(await transactions()).toBe(1);
    expect(await clicked()).toBe(3);
  });

  it('are written together where they have news, while others wait or are behind', async () => {
    const runners = await open(linksGroup(), { batch: 4 });
    add([0, 1]);
    add([2, 2, 2, 2, 2]);
    expect(await stepAll(runners)).toEqual(['idle', 'idle', 'moved']);
    expect(await checkpoints()).toEqual(at('0', '0', '3'));
    expect(await transactions()).toBe(2);
    add([1, 2]);
    expect(await stepAll(runners)).toEqual(['idle', 'idle', 'idle']);
    expect(await checkpoints()).toEqual(at('0', '1', '5'));
    expect(await clicked()).toBe(9);
  });

  it('are written one by one if they have more together than a batch may have', async () => {
    const runners = await open(linksGroup(), { batch: 5 });
    add([0, 0, 1, 1, 2, 2]);
    expect(await stepAll(runners)).toEqual(['idle', 'idle', 'idle']);
    expect(await transactions()).toBe(3);
    expect(await clicked()).toBe(6);
  });

  it('go on when an event of one of them is refused, which is parked', async () => {
    const refused = linkClick('link_1', -1);
    const runners = await open(failing(linksGroup(), new Map([[refused.id, 'sql']])));
    add([0, 1, 2]);
    log.add(1, refused, linkClick('link_1', -2));
    const [first, second, third] = await stepAll(runners);
    expect([first, third]).toEqual(['idle', 'idle']);
    for (let step = second; step !== 'idle';) step = await runners[1]!.step();
    expect(parked).toEqual([1]);
    expect(await checkpoints()).toEqual(at('0', '2', '0'));
    expect(await clicked()).toBe(4);
  });

  it('go on while another process holds one of them', async () => {
    const runners = await open();
    add([0, 1, 2]);
    const held = sql`select from projection_checkpoints where partition = 1 for update`;
    const steps = await transaction(pool, async (client) => {
      await run(client, held);
      return stepAll(runners);
    });
    expect(steps).toEqual(['idle', 'outrun', 'idle']);
    expect(await checkpoints()).toEqual(at('0', '', '0'));
    expect(await clicked()).toBe(2);
  });

  it('go on while one of them cannot be read, and when something was written of another', async () => {
    const runners = await open();
    add([0, 1, 2]);
    await stepAll(runners);
    add([0, 1, 2]);
    log.faults.set(0, new LogTampered('the log is not what was written'));
    await group.runner({ partition: 2, batch: 100, version: 1 }).step();
    const [unread, ...others] = await Promise.allSettled(runners.map((runner) => runner.stepAtHead()));
    expect(unread).toMatchObject({ status: 'rejected', reason: log.faults.get(0) });
    expect(others).toMatchObject([{ value: 'idle' }, { value: 'outrun' }]);
    expect(await checkpoints()).toEqual(at('0', '1', '1'));
    expect(await clicked()).toBe(5);
  });

  it('are written one by one, and without what was cached, where the connection was lost', async () => {
    let lost = 0;
    let invalidated = 0;
    const runners = await open({
      ...linksGroup(),
      prepare: (hits) => {
        if (lost++ > 0) return linksGroup().prepare(hits);
        invalidated = 0;
        throw new Error('Connection terminated unexpectedly');
      },
      invalidateCaches: () => invalidated++,
    });
    add([0, 1, 2]);
    expect(await stepAll(runners)).toEqual(['idle', 'idle', 'idle']);
    expect(invalidated).toBe(1);
    expect(await clicked()).toBe(3);
  });

  it('tells what each of them has written, and how long it took once', async () => {
    const written: string[] = [];
    const measured: string[] = [];
    const runners = await open(linksGroup(), {
      onWritten: ({ from, to }) => {
        written.push(`${from.partition}: ${from.cursor} to ${to}`);
        return Promise.resolve();
      },
      measure: async (step) => {
        const result = await step();
        measured.push(result);
        return result;
      },
    });
    add([0, 1, 2]);
    await stepAll(runners);
    expect(written).toEqual(['0:  to 0', '1:  to 0', '2:  to 0']);
    expect(measured).toEqual(['idle']);
  });

  let database: TestDatabase;
  let pool: Pool;
  let log: PartitionedMemoryLog;
  let group: BoundGroup;
  let parked: number[];
  let sent: number;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 6 });
    log = new PartitionedMemoryLog(PARTITIONS.length);
    parked = [];
    sent = 0;
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  async function open(projections = linksGroup(), options: Partial<LiveOptions> = {}): Promise<readonly LiveRunner[]> {
    group = bind(projections, log, pool);
    await openLiveVersion(pool, group, log);
    return runnersOf(group, { onParked: (_, partition) => parked.push(partition), ...options });
  }

  /** A click in each of these partitions. */
  const add = (partitions: readonly number[]) =>
    partitions.forEach((partition) => log.add(partition, linkClick(`link_${partition}`, sent++)));

  const at = (...cursors: readonly string[]) => cursors.map((cursor, partition) => ({ partition, cursor }));
  const checkpoints = () => run(pool, sql`select partition, cursor from projection_checkpoints order by partition`);

  /** By how many the checkpoints were written last. */
  async function transactions(): Promise<number> {
    const count = sql`select count(distinct xmin::text)::integer as count from projection_checkpoints`;
    return (await run<{ count: number }>(pool, count))[0]!.count;
  }

  async function clicked(): Promise<number> {
    const sum = sql`select coalesce(sum(clicks), 0)::integer as clicks from links_v1.link_clicks_15min where span = 1`;
    return (await run<{ clicks: number }>(pool, sum))[0]!.clicks;
  }
});
