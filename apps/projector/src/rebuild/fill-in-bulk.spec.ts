import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Pool } from 'pg';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { run } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { customEvent, pageView } from '@test/events/observed-events';
import { spyOnWrites } from '@test/files/spy-on-writes';
import { identifications } from '@test/oracle/random-identifications';
import { traffic } from '@test/oracle/random-traffic';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { compareVersions } from '@test/projector/compare-versions';
import { keptSums, readKept } from '@test/projector/kept-sums';
import { MemoryLog } from '@test/projector/memory-log';
import { runs } from '@test/random-runs';
import { PACKED_COLUMNS } from '@test/session-days/plain-sessions';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../open-pool';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { bind, type BoundGroup } from '../runner/bound-group';
import { sealDays } from '../sealing/seal-days';
import { withVersionsLock } from '../versions/change-layout';
import { openLiveVersion } from '../versions/live-version';
import { createVersion } from '../versions/version-tables';
import { readLive, type RebuildStageProgress } from './catch-up';
import { fillInBulk, type BulkFill, type BulkSizes } from './fill-in-bulk';

/** Few of everything, so that there are many buckets, parts of the log, and buckets that are divided. */
const sizes = fc.record({
  bucket: fc.integer({ min: 1, max: 40 }),
  atOnce: fc.constantFrom(200, 2_000, 1_000_000),
  range: fc.constantFrom([1, 7] as const, [20, 50] as const, [1_000, 1_000] as const),
  threadsFrom: fc.constant(Infinity),
});

describe('filling in bulk', () => {
  it('gives what the batches gave, at any cut of the log and with any sizes, and the runner goes on from there', async () => {
    const property = fc.asyncProperty(
      fc.array(traffic, { minLength: 1, maxLength: 3 }),
      identifications,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 1, max: 30 }),
      sizes,
      async (random, identified, cut, batch, some) => {
        const events = random.flatMap((each) => {
          const site = { websiteId: `site_${++sites}`, organizationId: 'org_1', zone: each.zone };
          return [...each.events(site), ...identified.events(site, each.start)];
        });
        const log = new MemoryLog(events.slice(0, Math.floor(cut * events.length)));
        await close();
        await open();
        const group = await begun(log);
        await project(group, 1, batch);
        await fill({ group, sizes: some });
        expect(await differences(group)).toEqual([]);
        log.add(...events.slice(log.hits.length));
        for (const version of [1, 2]) await project(group, version, batch);
        expect(await differences(group)).toEqual([]);
        expect(await packedDays(2)).toEqual(await packedDays(1));
      },
    );
    await fc.assert(property, { seed: 46, numRuns: runs(25), endOnFailure: true });
  }, 300_000);

  it('does so in threads, from a log in Postgres, with a visitor of 10,000 hits and a text that was changed', async () => {
    const intakeLog = await openIntakeLog({ databaseUrl: database.url, partitions: 2 });
    const group = await begun(intakeLog);
    const one = { visitorId: 'a'.repeat(32) };
    const events = [
      ...Array.from({ length: 10_000 }, (_, n) => pageView(START + n * 60_000, { ...one, path: `/${n % 50}` })),
      ...Array.from({ length: 2_000 }, (_, n) => customEvent(`site_many_${n % 20}`, n * 60)),
    ];
    const sent = events.map((event) => ({ event, subject: event.data.websiteId ?? '', dedupe: 'never' as const }));
    for (let at = 0; at < sent.length; at += 1_000) await intakeLog.send(sent.slice(at, at + 1_000));
    for (const partition of [0, 1]) await project(group, 1, 1_000, partition);
    await run(pool, sql`update dictionary set text = 'changed' where text = '/7'`);
    const seen: RebuildStageProgress[] = [];
    const few = { bucket: 500, atOnce: 50_000, range: [500, 1_000] as const, threadsFrom: 1 };
    await fill({ group, sizes: few, mends: true, onProgress: (progress) => void seen.push(progress) });
    expect(await differences(group)).toEqual([]);
    const stages = seen.filter(({ stage }, nth) => stage !== seen[nth - 1]?.stage);
    expect(stages.map(({ stage, done }) => `${stage} ${done}`)).toEqual(['reading 0', 'writing 0', 'indexing 0']);
    const ofWriting = seen.filter(({ stage }) => stage === 'writing').map(({ done }) => done);
    expect([ofWriting.at(-1), ofWriting.toSorted((a, b) => a - b)]).toEqual([12_000, ofWriting]);
    expect([...(group.dictionary?.changed.values() ?? [])]).toMatchObject([{ text: '/7', found: 'changed' }]);
    expect(await run(pool, sql`select from dictionary where text = 'changed'`)).toEqual([]);
    await intakeLog.close();
  }, 120_000);

  it('goes on from a checkpoint that was moved', async () => {
    const intakeLog = await openIntakeLog({ databaseUrl: database.url, partitions: 1 });
    const group = await begun(intakeLog);
    for (let n = 0; n < 4; n++)
      await intakeLog.send([{ event: customEvent('site_moved', n), subject: 'site_moved', dedupe: 'never' }]);
    await project(group, 1);
    await run(pool, sql`update projection_checkpoints set cursor = '1' where version = 1`);
    await expect(project(group, 1)).rejects.toThrow(/^The checkpoint was moved: it is at position 1, /);
    await fill({ group });
    await project(group, 2);
    const [row] = await run<{ n: number }>(pool, sql`select count(*)::integer as n from websites_v2.custom_events`);
    expect(row).toEqual({ n: 4 });
    await intakeLog.close();
  });

  it('names the event that cannot be stored, and leaves no file', async () => {
    const events = Array.from({ length: 40 }, (_, n) => customEvent('site_wrong', n));
    const group = await begun(new MemoryLog(events));
    await project(group, 1);
    const table = identifier('websites_v2', 'custom_events');
    const { id } = events[17]!;
    const bad = await uuidOf(events[17]!);
    await run(pool, { text: `alter table ${table.text} add constraint broken check (id <> '${bad}')`, values: [] });
    await expect(fill({ group })).rejects.toThrow(`The event ${id} (hit 3) of site_wrong cannot be projected: `);
    expect(readdirSync(folder)).toEqual([]);
    expect(await cursors()).toEqual(['']);
    await run(pool, sql`alter table websites_v2.custom_events drop constraint broken`);
    await fill({ group }); // begins again
    expect(await differences(group)).toEqual([]);
  });

  it('names an event that is not what its type says', async () => {
    const events = Array.from({ length: 5 }, (_, n) => customEvent('site_wrong', n));
    const wrong = { ...events[3]!, data: { ...events[3]!.data, name: 7 } } as unknown as ObservedEvent;
    const group = await begun(new MemoryLog([...events.slice(0, 3), wrong]));
    await run(pool, sql`update projection_checkpoints set cursor = '3' where version = 1`);
    await expect(fill({ group })).rejects.toThrow(`The event ${wrong.id} (CustomEventTracked) of site_wrong`);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses to begin where there is no room, and ends at once where it is stopped', async () => {
    const group = await begun(new MemoryLog(Array.from({ length: 500 }, (_, n) => customEvent('site_1', n))));
    await project(group, 1);
    const stopping = new AbortController();
    const onProgress = () => stopping.abort();
    await expect(fill({ group, onProgress, signal: stopping.signal })).rejects.toThrow(/abort/i);
    expect([readdirSync(folder), await cursors()]).toEqual([[], ['']]);
    await fill({ group });
    expect(await differences(group)).toEqual([]);
  });

  it('says in one sentence that the disk is full, and leaves no file', async () => {
    const group = await begun(new MemoryLog(Array.from({ length: 500 }, (_, n) => customEvent('site_1', n))));
    await project(group, 1);
    const { spy } = await spyOnWrites();
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    spy.mockRejectedValueOnce(full);
    await expect(fill({ group })).rejects.toThrow(/^The disk of \S+ is full; make room there, or set DATA_DIR\.$/);
    expect(readdirSync(folder)).toEqual([]);
    spy.mockRestore();
  });

  it('fills some tables of a version, with those that computing reads', async () => {
    const site = { websiteId: 'site_some', organizationId: 'org_1', zone: 'UTC' };
    const some = identifications.filter((each) => each.events(site, '2026-03-01').length > 0);
    const [identified] = fc.sample(some, { numRuns: 1, seed: 46 });
    const log = new MemoryLog([
      ...Array.from({ length: 20 }, (_, n) => customEvent('site_some', n * 900)),
      ...(identified?.events(site, '2026-03-01') ?? []),
    ]);
    const group = await begun(log, ({ name }) => name === 'website_rollups');
    await project(group, 1);
    await fill({ group });
    expect(keptSums(await readKept(pool, 'websites_v2'))).toEqual(keptSums(await readKept(pool, 'websites_v1')));
    await project(group, 2);
    const state = group.state.map(({ name }) => name);
    const tables = await run<{ name: string }>(
      pool,
      sql`select tablename as name from pg_tables where schemaname = 'websites_v2'`,
    );
    expect(tables.map(({ name }) => name).sort()).toEqual([...state, 'website_rollups'].sort());
  });

  it('leaves out what an operator has accepted', async () => {
    const log = new MemoryLog(Array.from({ length: 10 }, (_, n) => customEvent('site_1', n)));
    const group = await begun(log);
    await run(
      pool,
      sql`insert into parked_events (projection_group, version, partition, epoch, cursor, after, event_id, event_type, subject, order_key, tries, accepted_at)
        values ('websites', 1, 0, 'memory', '4', '3', 'x', 'x', 'x', 'x', 1, now())`,
    );
    await project(group, 1);
    await fill({ group });
    expect(await differences(group)).toEqual([]);
    const [row] = await run<{ n: number }>(pool, sql`select count(*)::integer as n from websites_v2.custom_events`);
    expect(row).toEqual({ n: 9 });
  });

  const START = Date.parse('2026-03-01T00:00:00Z');
  let database: TestDatabase;
  let pool: Pool;
  let folder: string;
  let sites = 0;

  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'bulk-'))));
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeEach(open);
  afterEach(close);

  async function open() {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url);
  }

  async function close() {
    await pool.end();
    await database.drop();
  }

  /** The group with its live version, and another one that has nothing yet. */
  async function begun(
    log: MemoryLog | Awaited<ReturnType<typeof openIntakeLog>>,
    isWanted: (model: ReadModel) => boolean = () => true,
  ): Promise<BoundGroup> {
    const group = bind(new WebsitesGroup(pool), log, pool, { logUrl: database.url, spillTo: folder });
    await openLiveVersion(pool, group, log);
    const models = group.builds.filter((model) => group.state.includes(model) || isWanted(model));
    await withVersionsLock(pool, (client) => createVersion(client, group, 2, log, models));
    return group;
  }

  const fill = async ({ group, ...options }: Partial<BulkFill> & { group: BoundGroup; sizes?: BulkSizes }) =>
    fillInBulk({ group, version: 2, live: await readLive(pool, group), mends: false, ...options });

  async function project(group: BoundGroup, version: number, batch = 100, partition = 0) {
    const runner = group.runner({ partition, batch, version });
    await waitUntil(
      () => runner.step(),
      (step) => step === 'idle',
    );
  }

  async function differences(group: BoundGroup) {
    const live = keptSums(await readKept(pool, 'websites_v1'));
    const filled = keptSums(await readKept(pool, 'websites_v2'));
    expect(filled).toEqual(live);
    const [a, b] = await Promise.all([1, 2].map(positions));
    expect(b).toEqual(a);
    return compareVersions(pool, group, 1, 2);
  }

  const positions = (version: number) =>
    run<{ cursor: string }>(
      pool,
      sql`select partition, cursor, digest, events, as_of from projection_checkpoints where version = ${version} order by partition`,
    );

  const cursors = async () => (await positions(2)).map(({ cursor }) => cursor);

  /** Packed days of a version byte for byte, but for the numbers of visitors, and how many there are. */
  async function packedDays(version: number) {
    await sealDays({ pool, schema: `websites_v${version}`, quietMs: 0 });
    const columns = PACKED_COLUMNS.filter((name) => name !== 'visitor').map((name) => identifier(name).text);
    const text = `select website, day::text, number, size, countries, device_types, last_at, ${columns.join(', ')}
      from websites_v${version}.session_days order by 1, 2, 3`;
    const visitors = `select website, visitors, (select count(distinct visitor_number)::integer from websites_v${version}.sessions s
        where s.website = d.website) as numbered, (select max(visitor_number) + 1 from websites_v${version}.sessions s
        where s.website = d.website) as next
      from websites_v${version}.website_days d order by website`;
    return [await run(pool, { text, values: [] }), await run(pool, { text: visitors, values: [] })];
  }

  async function uuidOf({ at }: ObservedEvent) {
    const [row] = await run<{ id: string }>(
      pool,
      sql`select id from websites_v1.custom_events where at = ${new Date(at)}`,
    );
    return row?.id ?? '';
  }
});
