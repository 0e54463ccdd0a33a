import type { Pool } from 'pg';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { type IntakeLog, partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { linkClick } from '@test/events/observed-events';
import { forgeSegment } from '@test/intake-log/forge-segment';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../open-pool';
import { rebuild } from '../rebuild/rebuild';
import { boundGroups } from './bound-group';
import { Projector } from './projector';

describe('a projector whose intake log was changed', () => {
  it('stops that partition with one sentence, also after a restart, while others go on, and goes on once it is undone', async () => {
    const first = await startProjector();
    await send(3);
    await projected(6);
    const end = Number(await intakeLog.head(FORGED)) + 1;
    await forgeSegment(pool, FORGED, end, [
      { event: linkClick('link_forged', 1), subject: 'link_forged', dedupe: 'never' },
    ]);
    await stoppedWith(sentence(end));
    await first.stop();
    await pool.query('update projection_checkpoints set stopped = null'); // a restart finds the fault by itself
    const second = await startProjector();
    await stoppedWith(sentence(end));
    await send(2, [OTHER]);
    await projected(8);
    expect(await stopped()).toEqual([sentence(end)]);
    await expect(rebuild({ group: links(), flip: true })).rejects.toThrow(sentence(end));
    await second.stop();
    await pool.query('delete from intake_segments where partition = $1 and first_offset = $2', [FORGED, end]);
    const third = await startProjector();
    await send(2);
    await projected(12);
    expect(await stopped()).toEqual([]);
    await third.stop();
  });

  it('stops at a segment whose payload is missing, and no rebuild leaves its events out', async () => {
    const end = Number(await intakeLog.head(OTHER)) + 1;
    const nulled = 'update intake_segments set payload = null where partition = $1 and first_offset = $2';
    await send(1, [OTHER]);
    const { rows } = await pool.query<{ payload: Buffer }>(
      'select payload from intake_segments where partition = $1 and first_offset = $2',
      [OTHER, end],
    );
    await pool.query(nulled, [OTHER, end]);
    await send(1);
    const missing = `The intake log is not what was written: partition ${OTHER}, offset ${end}: the payload of the segment is missing.`;
    const first = await startProjector();
    await stoppedWith(missing);
    await projected(13);
    await expect(rebuild({ group: links(), flip: true })).rejects.toThrow(missing);
    await first.stop();
    await pool.query('update intake_segments set payload = $3 where partition = $1 and first_offset = $2', [
      OTHER,
      end,
      rows[0]?.payload,
    ]);
    const second = await startProjector();
    await projected(15);
    await second.stop();
  });

  it.each([
    ['forward', '3'],
    ['back', '1'],
    ['to the beginning', ''],
  ])('stops where its checkpoint was moved %s, with one sentence, until that is undone', async (_, cursor) => {
    const at = sql`from projection_checkpoints where version = 1 and projection_group = 'links' and partition = ${OTHER}`;
    const [before] = await run<{ cursor: string }>(pool, sql`select cursor ${at}`);
    const move = (to: string) =>
      pool.query(
        `update projection_checkpoints set cursor = $1 where version = 1 and projection_group = 'links' and partition = $2`,
        [to, OTHER],
      );
    await move(cursor);
    const projector = await startProjector();
    const [why] = await waitUntil(stopped, (reasons) => reasons.length > 0);
    expect(why).toMatch(/^The checkpoint was moved: it is at (position \d+|the beginning), /);
    await projector.stop();
    await move(before!.cursor);
    const again = await startProjector();
    await waitUntil(stopped, (reasons) => reasons.length === 0);
    await again.stop();
  });

  const FORGED = 0;
  const OTHER = 1;
  const sentence = (offset: number) =>
    `The intake log is not what was written: partition ${FORGED}, offset ${offset}: a segment was inserted: it overlaps the one before, or lies above the head.`;

  let database: TestDatabase;
  let pool: Pool;
  let eventStore: EventStore;
  let intakeLog: IntakeLog;
  let sent = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url);
    eventStore = await openEventStore({ databaseUrl: database.url });
    intakeLog = await openIntakeLog({ databaseUrl: database.url, partitions: 2 });
  });
  afterAll(async () => {
    await Promise.all([intakeLog.close(), eventStore.close(), pool.end()]);
    await database.drop();
  });

  const groups = () =>
    boundGroups({ eventStore, intakeLog, pool }).filter(({ name }) => name === 'registry' || name === 'links');
  const links = () => groups().find(({ name }) => name === 'links')!;

  async function startProjector(): Promise<Projector> {
    const projector = new Projector({
      pool,
      groups: groups(),
      maintenance: [],
      logger: createLogger('projector', 'silent'),
    });
    await projector.start();
    return projector;
  }

  /** So many clicks in each of these partitions. */
  async function send(count: number, partitions: readonly number[] = [FORGED, OTHER]): Promise<void> {
    for (const partition of partitions)
      for (let n = 0; n < count; n++) {
        const subject = subjectIn(partition);
        await intakeLog.send([{ event: linkClick(subject, sent++), subject, dedupe: 'never' }]);
      }
  }

  async function projected(clicks: number): Promise<void> {
    const count = sql`select coalesce(sum(clicks), 0)::integer as clicks, count(*) filter (where link_id = 'link_forged')::integer as forged
      from links_v1.link_clicks_15min where span = 1`;
    const look = async () => (await run<{ clicks: number; forged: number }>(pool, count))[0]!;
    const seen = await waitUntil(look, (row) => row.clicks >= clicks || row.forged > 0);
    expect(seen).toEqual({ clicks, forged: 0 });
  }

  async function stopped(): Promise<string[]> {
    const marked = sql`select stopped from projection_checkpoints where stopped is not null and version = 1`;
    return (await run<{ stopped: string }>(pool, marked)).map((row) => row.stopped);
  }

  async function stoppedWith(why: string): Promise<void> {
    await waitUntil(stopped, (reasons) => reasons.includes(why));
  }
});

const subjectIn = (partition: number): string =>
  ['link_1', 'link_2', 'link_3', 'link_4', 'link_5'].find((subject) => partitionOf(subject, 2) === partition)!;
