import type { Pool } from 'pg';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { schemaOf } from '@ledgerline/contracts/read-models/registry';
import { sessionParts } from '@ledgerline/contracts/read-models/session-days';
import { run } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { alertDecided } from '@test/events/alert-decided';
import { linkClick } from '@test/events/observed-events';
import { monitorCheck } from '@test/monitors/random-checks';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { changeColumn } from '@test/projector/change-column';
import { MemoryLog } from '@test/projector/memory-log';
import { visitsOf } from '@test/projector/visits';
import { someOf } from '@test/random-runs';
import { waitUntil } from '@test/wait-until';
import { openProjectionPool } from '../open-pool';
import { linksGroup } from '../projections/links/links-group';
import { monitorsGroup } from '../projections/monitors/monitors-group';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { bind, type BoundGroup } from '../runner/bound-group';
import { packParts } from '../sealing/pack-parts';
import { sealDays } from '../sealing/seal-days';
import { openLiveVersion } from '../versions/live-version';
import { noteUncompared, type Finding } from './findings';
import { reconcilePartition, repair } from './run-reconciling';

/** The columns that do not follow from the log. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['website_rollups.number', 'it is random'],
  ['website_rollups.size', 'it says how rows are packed, which depends on when'],
  ['session_day_states.changes', 'it counts batches'],
  ['session_day_states.changed_at', 'it is the time of a batch'],
  ['session_day_states.unlisted', 'it counts changes of unknown sessions'],
  ['session_day_states.parts_of', 'it says whether parts are of use, which are made anew'],
  ['session_parts.website', 'a day without parts is read from sessions'],
  ['session_parts.day', 'a day without parts is read from sessions'],
  ['session_parts.number', 'it says which part is newer'],
  ['session_parts.gone', 'it is about sessions that an earlier part may have'],
]);

/** Tables that have no rows while the days of sessions are kept in another way. */
const EMPTY = {
  open: ['session_changes', 'session_parts', 'session_days'], // repairs of other tables open days as a whole
  packed: ['session_changes', 'session_parts'],
  'in parts': [],
} as const;

describe('a column that was changed alone', () => {
  const groups = [
    ['websites', (pool: Pool) => new WebsitesGroup(pool, 0), () => visitsOf('site_1')],
    ['links', () => linksGroup(), () => clicks],
    ['monitors', () => monitorsGroup(), () => checks],
  ] as const satisfies readonly (readonly [string, (pool: Pool) => object, () => readonly ObservedEvent[]])[];

  it.each([
    ...groups.map((of) => [...of, 'open'] as const),
    ...groups.slice(0, 1).map((of) => [...of, 'packed'] as const),
    ...groups.slice(0, 1).map((of) => [...of, 'in parts'] as const),
  ])(
    'is found and repaired, whichever one of the %s it is, on days that are open, packed or in parts',
    async (name, open, events, days) => {
      await start(open(pool), events());
      const seal = async () => {
        const schema = schemaOf(name, 1);
        if (days === 'packed') await sealDays({ pool, schema, quietMs: 0 });
        if (days === 'in parts')
          await packParts({ pool, schema, since: 0, rule: { least: 1, largest: 4, ofTier: 64 } });
      };
      await seal();
      expect(await reconcile()).toEqual([]);
      const unseen: string[] = [];
      const unrepaired: string[] = [];
      const empty: string[] = [];
      const models = days === 'in parts' ? [sessionParts] : group.builds;
      for (const model of [...models].reverse()) {
        const columns = Object.keys(model.columns).filter((column) => !EXCEPTIONS.has(`${model.name}.${column}`));
        const change = (column: string) => changeColumn(pool, schemaOf(name, 1), model, column);
        const restore = await copied(model);
        for (const column of someOf(columns, 3)) {
          if (!(await change(column))) empty.push(model.name);
          else if ((await reconcile()).length === 0) unseen.push(`${model.name}.${column}`);
          await restore();
        }
        for (const column of columns) await change(column);
        await repairAll();
        if (columns.includes('website')) await deleteStray(model);
        if ((await reconcile()).length > 0) unrepaired.push(model.name);
        await seal();
      }
      expect({ unseen, unrepaired }).toEqual({ unseen: [], unrepaired: [] });
      expect([...new Set(empty)]).toEqual(name === 'websites' ? EMPTY[days] : []);
    },
    600_000,
  );

  /** Keeps the rows of a table; answers how it gets them back. */
  async function copied({ name }: ReadModel): Promise<() => Promise<void>> {
    const table = identifier(schemaOf(group.name, 1), name).text;
    const copy = identifier(`copy of ${name}`).text;
    await pool.query(`create table ${copy} as table ${table}`);
    return async () => void (await pool.query(`truncate ${table}; insert into ${table} select * from ${copy}`));
  }

  async function repairAll(): Promise<void> {
    const findings = await reconcile();
    for (const subject of new Set(findings.map((finding) => finding.subject)))
      await repair(group, 0, { subject, days: findings.map(({ day }) => day) });
  }

  /** Rows of a website that there is none of. */
  const deleteStray = ({ name }: ReadModel) =>
    run(
      pool,
      sql`delete from ${identifier(schemaOf(group.name, 1), name)}
        where website not in (select id from dictionary where scope = 0)`,
    );

  let database: TestDatabase;
  let pool: Pool;
  let group: BoundGroup;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  async function start(projections: Parameters<typeof bind>[0], events: readonly ObservedEvent[]): Promise<void> {
    const log = new MemoryLog(events);
    group = bind(projections, log, pool);
    await openLiveVersion(pool, group, log);
    await noteUncompared(pool, { group: group.name, partition: 0 });
    const runner = group.runner({ partition: 0, batch: 1_000, version: 1 });
    await waitUntil(
      () => runner.step(),
      (step) => step === 'idle',
    );
  }

  async function reconcile(): Promise<readonly Finding[]> {
    const findings: Finding[] = [];
    const onFinding = (finding: Finding) => void findings.push(finding);
    await reconcilePartition({ group, partition: 0, goesOn: true, rest: () => Promise.resolve(), onFinding });
    return findings;
  }
});

const clicks: readonly ObservedEvent[] = [0, 1, 2].flatMap((n) => {
  const click = linkClick('link_1', 1);
  return [linkClick('link_1', n), { ...linkClick('link_1', 10 + n), at: click.at + n * 3_600_000, data: click.data }];
});

const MONITORED = Date.parse('2026-05-04T10:00:00Z');

const checks: readonly ObservedEvent[] = [
  ...[true, false, false, true, false].map((up, n) =>
    monitorCheck('mon_1', MONITORED + n * 60_000, { up, durationMs: 30 + n }),
  ),
  ...[0, 1, 2].map((n) => alertDecided('alr_1', MONITORED + n * 300_000, { figure: n, usual: n, why: 'behind' })),
];
