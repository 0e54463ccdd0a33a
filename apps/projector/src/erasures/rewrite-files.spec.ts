import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { readFilesCovered } from '@ledgerline/platform/database/file-rewrites';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { type EventStore, erasureStream } from '@ledgerline/platform/event-store/event-store';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { BEGINNING } from '@ledgerline/platform/log/log-reader';
import { pageView } from '@test/events/observed-events';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { planted, PLANTED, START } from '@test/privacy/planted-events';
import { placesOf, storedInFiles, storedInTables } from '@test/privacy/stored-bytes';
import { openProjectionPool } from '../open-pool';
import { reconcilePartition } from '../reconcile/run-reconciling';
import { type BoundGroup, boundGroups } from '../runner/bound-group';
import { hasVisits } from '../runner/erasure-rules';
import { sealDays } from '../sealing/seal-days';
import { openLiveVersion } from '../versions/live-version';
import { createIndexes } from '../versions/version-tables';
import { DecidedErasures } from './decided-erasures';
import { eraseVisits } from './erase-visits';
import { rewriteFiles } from './rewrite-files';
import { PayloadRewriter } from './rewrite-payloads';

const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);
const DAY_MS = 86_400_000;
const SIGNAL = new AbortController().signal;

describe('files of Postgres', () => {
  it('have texts and payloads that were erased until tables are rewritten, which half a day later they are', async () => {
    await run(pool, sql`analyze`);
    const searched = [...PLANTED, ...(await piecesOfPayloads())];
    await erase();
    const tables = await storedInTables(database.url);
    expect(placesOf(tables, searched)).toEqual([]);
    await run(pool, sql`vacuum`);
    expect(await foundInFiles(searched)).toEqual(expect.arrayContaining(['planted-event', searched.at(-1)]));
    const before = await rows();
    const events = await log.read(0, BEGINNING, { max: 100 });
    expect(await rewriteFiles(pool, Date.now(), SIGNAL)).toBe(0);
    expect(await readFilesCovered(pool)).toBe(0);
    const erasedAt = Date.now();
    expect(await rewriteFiles(pool, Date.now() + DAY_MS, SIGNAL)).toBeGreaterThan(20);
    expect(await readFilesCovered(pool)).toBeGreaterThanOrEqual(erasedAt);
    expect(await foundInFiles(searched)).toEqual([]);
    expect(await rows()).toEqual(before);
    expect(await log.read(0, BEGINNING, { max: 100 })).toEqual(events);
    expect(await rewriteFiles(pool, Date.now() + DAY_MS, SIGNAL)).toBe(0);
  });

  it('are of tables that go on as before, with what others may do', async () => {
    await erase();
    await run(pool, sql`grant select on public.dictionary to public`);
    await rewriteFiles(pool, Date.now() + DAY_MS, SIGNAL);
    const granted = sql`select grantee::integer from pg_class, aclexplode(relacl)
      where oid = 'public.dictionary'::regclass and privilege_type = 'SELECT' order by 1`;
    expect(await run(pool, granted)).toMatchObject([{ grantee: 0 }, {}]);
    await send(planted(BOB, 30));
    const compared = { partition: 0, goesOn: false, rest: () => Promise.resolve() };
    for (const group of groups)
      await reconcilePartition({
        ...compared,
        group,
        onFinding: (finding) => {
          throw new Error(JSON.stringify(finding));
        },
      });
    expect(placesOf(await storedInTables(database.url), ['planted-event'])).toEqual([
      'planted-event in public.dictionary',
      'planted-event in public.intake_segments',
    ]);
  });

  it('are of the tables that are left after a failure, and are free of what was erased before the first', async () => {
    await erase();
    const erasedAt = Date.now();
    await run(
      pool,
      sql`create function refused() returns event_trigger language plpgsql as $$ begin
        if exists (select from pg_event_trigger_ddl_commands() where object_identity = 'rewriting.sessions') then
          raise exception 'There is no room.';
        end if; end $$`,
    );
    await run(pool, sql`create event trigger refused on ddl_command_end execute function refused()`);
    await expect(rewriteFiles(pool, Date.now() + DAY_MS, SIGNAL)).rejects.toThrow('There is no room.');
    const [rewritten] = await run(pool, sql`select 'public.dictionary'::regclass::oid`);
    expect(await readFilesCovered(pool)).toBe(0);
    await run(pool, sql`drop event trigger refused`);
    const failedAt = Date.now();
    const left = await rewriteFiles(pool, Date.now() + DAY_MS, SIGNAL);
    expect([left > 0, left < 10]).toEqual([true, true]);
    expect(await run(pool, sql`select 'public.dictionary'::regclass::oid`)).toEqual([rewritten]);
    expect(await readFilesCovered(pool)).toBeGreaterThanOrEqual(erasedAt);
    expect(await readFilesCovered(pool)).toBeLessThan(failedAt);
    expect(await foundInFiles(PLANTED)).toEqual([]);
  });

  it('stay as they are where a view reads a table, which is said before any is copied', async () => {
    await erase();
    await run(pool, sql`create view of_others as select at from links_v1.link_clicks`);
    const before = await foundInFiles(PLANTED);
    await expect(rewriteFiles(pool, Date.now() + DAY_MS, SIGNAL)).rejects.toThrow('A view reads links_v1.link_clicks');
    expect(await foundInFiles(PLANTED)).toEqual(before);
    await run(pool, sql`drop view of_others`);
    expect(await rewriteFiles(pool, Date.now() + DAY_MS, SIGNAL)).toBeGreaterThan(20);
  });

  let database: TestDatabase;
  let pool: Pool;
  let log: IntakeLog;
  let store: EventStore;
  let groups: readonly BoundGroup[];

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 6 });
    store = await openEventStore({ databaseUrl: database.url });
    log = await openIntakeLog({ databaseUrl: database.url, partitions: 1 });
    groups = boundGroups({ eventStore: store, intakeLog: log, pool }).filter(hasVisits);
    for (const group of groups) await createIndexes(pool, group, await openLiveVersion(pool, group, log));
    await send(planted(ANN, 0));
    await send([pageView(START, { visitorId: BOB }), ...planted(ANN, 30)]);
    await sealDays({ pool, schema: 'websites_v1', quietMs: 0 });
  });
  afterEach(async () => {
    await Promise.all([log.close(), store.close()]);
    await pool.end();
    await database.drop();
  });

  async function send(sent: ReturnType<typeof planted>): Promise<void> {
    await log.send(sent.map((event) => ({ event, subject: 'site_1', dedupe: 'never' as const })));
    for (const group of groups) {
      const runner = group.runner({ partition: 0, batch: 100, version: 'live' });
      for (let step; step !== 'idle';) step = await runner.step();
    }
  }

  async function erase(): Promise<void> {
    const subject = { websiteId: 'site_1', visitors: [ANN] };
    const data = { organizationId: 'org_1', erasureId: 'era_1', subject, destroyedKeyIds: [] };
    const metadata = { occurredAt: '2026-05-27T00:00:00Z', schemaVersion: '2' };
    const event = { id: randomUUID(), type: 'SubjectErased', data, metadata };
    await store.append(erasureStream('org_1', 'era_1'), 'no-stream', [event]);
    for (const group of groups) await eraseVisits(group, new DecidedErasures(store));
    expect(await new PayloadRewriter({ store, database: pool, stores: [{ pool }] }).rewrite()).toBe(2);
  }

  /** Bytes from the middle of the payloads, which are compressed. */
  async function piecesOfPayloads(): Promise<string[]> {
    const stored = await run<{ payload: Buffer }>(pool, sql`select payload from intake_segments`);
    return stored.map(({ payload }) =>
      payload.toString('latin1', payload.length / 2, payload.length / 2 + 24).toLowerCase(),
    );
  }

  /** Returns which of these are in a file of the database. */
  async function foundInFiles(searched: readonly string[]): Promise<readonly string[]> {
    await run(pool, sql`checkpoint`);
    const [found] = await run<{ folder: string; oid: string }>(
      pool,
      sql`select current_setting('data_directory') as folder, oid::text from pg_database where datname = current_database()`,
    );
    const files = await storedInFiles(join(found!.folder, 'base', found!.oid));
    return searched.filter((each) => placesOf(files, [each]).length > 0);
  }

  /** The rows of all tables, with the definitions of these, but for what the rewriting notes. */
  async function rows() {
    const tables = (await storedInTables(database.url)).filter(({ place }) => place !== 'public.file_rewrites');
    const stored = tables.map(({ place, text }) => [place, text.split('\n').sort()]);
    const defined = await run(
      pool,
      sql`select indexdef as definition from pg_indexes where schemaname not like 'pg_%' union all
        select concat(conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint union all
        select concat(oid::regclass, relkind, reloptions, obj_description(oid)) from pg_class
        where relnamespace::regnamespace::text not like 'pg_%' union all
        select concat(attrelid::regclass, attnum, attname, atttypid, attnotnull, attidentity, attstorage, attstattarget)
        from pg_attribute where attnum > 0 and attrelid::regclass::text not like 'pg_toast%' order by 1`,
    );
    return { stored: Object.fromEntries(stored) as unknown, defined };
  }
});
