import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { restartIntakeHeads, signIntakeHeads } from '@ledgerline/platform/intake-log/signed-intake-heads';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { sealing } from '@test/event-store/laws/harness';
import { linkClick } from '@test/events/observed-events';
import { removeNewestSegment } from '@test/intake-log/forge-segment';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { openProjectionPool } from '../open-pool';
import { boundGroups } from '../runner/bound-group';
import { Projector } from '../runner/projector';
import { rebuild } from './rebuild';

describe('a rebuild from a log that was shortened and signed anew', () => {
  it.each([
    ['ends before what was projected', 0],
    ['has grown past what was projected', 4],
  ])('switches where its differences are accepted, and the partition goes on: a log that %s', async (_, grown) => {
    await send(3);
    await sign();
    const projector = await startProjector();
    while ((await clicks()) < 3) await setTimeout(20);
    await removeNewestSegment(pool);
    await send(grown);
    while ((await stopped()).length === 0) await setTimeout(20);
    await expect(sign()).rejects.toThrow('The intake log is not what was written');

    await restartIntakeHeads(signing(), new Date());
    expect(await rebuild({ group: links(), flip: true })).toMatchObject({ differences: lost(), flipped: false });
    const accepted = await rebuild({ group: links(), flip: true, accept: true });
    expect(accepted).toMatchObject({ version: 2, differences: lost(), flipped: true });

    await send(2);
    while ((await clicks()) < 2 + grown + 2) await setTimeout(20);
    expect(await stopped()).toEqual([]);
    expect(await rebuild({ group: links(), flip: false })).toMatchObject({ differences: [] });
    expect(await clicks()).toBe(2 + grown + 2);
    await sign();
    await projector.stop();
    const ofPartition = lines.filter(({ group, level }) => group === 'links' && level !== 'info');
    expect(ofPartition).toEqual([
      expect.objectContaining({ level: 'error', msg: expect.stringMatching(/^stopped: The intake log /) as string }),
    ]);
    expect(ofPartition[0]).not.toHaveProperty('err');
    expect(lines.at(-1)).toMatchObject({ group: 'links', partition: 0, msg: 'no longer stopped' });
  });

  let database: TestDatabase;
  let pool: Pool;
  let eventStore: EventStore;
  let intakeLog: IntakeLog;
  let lines: { readonly level: string; readonly msg: string; readonly group?: string }[];
  let sent = 0;

  beforeEach(async () => {
    lines = [];
    database = await createTestDatabase();
    pool = openProjectionPool(database.url);
    eventStore = await openEventStore({ databaseUrl: database.url }, sealing);
    intakeLog = await openIntakeLog({ databaseUrl: database.url, partitions: 1 });
  });
  afterEach(async () => {
    await Promise.all([intakeLog.close(), eventStore.close(), pool.end()]);
    await database.drop();
  });

  const signing = () => ({ store: eventStore, database: pool, key: sealing.key, app: 'spec' });
  const sign = () => signIntakeHeads(signing(), new Date());
  const links = () => boundGroups({ eventStore, intakeLog, pool }).find(({ name }) => name === 'links')!;
  const lost = () => expect.arrayContaining([expect.objectContaining({ table: 'link_clicks' })]) as unknown;

  async function startProjector(): Promise<Projector> {
    const write = (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]);
    const logger = createLogger('projector', 'info', { write });
    const projector = new Projector({ pool, groups: [links()], maintenance: [], logger });
    await projector.start();
    return projector;
  }

  async function send(count: number): Promise<void> {
    for (let n = 0; n < count; n++)
      await intakeLog.send([{ event: linkClick('link_1', sent++), subject: 'link_1', dedupe: 'never' }]);
  }

  /** As the live version counts them. */
  async function clicks(): Promise<number> {
    const [live] = await run<{ v: number }>(pool, sql`select live_version as v from projection_groups`);
    const text = `select coalesce(sum(clicks), 0)::integer as clicks from links_v${live!.v}.link_clicks_15min where span = 1`;
    const [row] = await run<{ clicks: number }>(pool, { text, values: [] });
    return row!.clicks;
  }

  /** Reasons in the live version, which health shows. */
  async function stopped(): Promise<unknown[]> {
    return run(
      pool,
      sql`select stopped from projection_checkpoints join projection_groups on name = projection_group
        and version = live_version where stopped is not null`,
    );
  }
});
