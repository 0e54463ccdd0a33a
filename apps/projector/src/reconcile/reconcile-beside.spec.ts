import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { schemaOf } from '@ledgerline/contracts/read-models/registry';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { storeReconciliations } from '@ledgerline/platform/read-stores/projection-states';
import { WHOLE_LOG_SHARE } from '@ledgerline/platform/read-stores/read-stores';
import { traffic } from '@test/oracle/random-traffic';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { columnOfRollup } from '@test/projector/kept-sums';
import { MemoryLog } from '@test/projector/memory-log';
import { waitUntil } from '@test/wait-until';
import { compactAll, RULE } from '../compaction/compact-rollups';
import { openProjectionPool } from '../open-pool';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { rebuild } from '../rebuild/rebuild';
import { bind, type BoundGroup } from '../runner/bound-group';
import { sealDays } from '../sealing/seal-days';
import { liveVersion, openLiveVersion } from '../versions/live-version';
import { readClock, type Finding } from './findings';
import { repair, runReconciling } from './run-reconciling';

/** A pass beside all of that takes a while on a busy machine. */
const TIMEOUT_MS = 180_000;

describe('comparing tables with the log beside other work', () => {
  it(
    'finds nothing while batches are written, counts packed, days sealed and tables rebuilt, and a repair beside all of it lasts',
    async () => {
      const loops = [
        repeat(() => {
          log.add(...EVENTS.splice(0, 1));
          return Promise.resolve();
        }),
        repeat(() => newGroup().runner({ partition: 0, batch: 10, version: 'live' }).step()),
        repeat(async () => compactAll({ pool, schema: await liveSchema(), rule: { ...RULE, most: 1 } })),
        repeat(async () => sealDays({ pool, schema: await liveSchema(), quietMs: 0 })),
        runReconciling({ group: newGroup(), logger, signal: stopping.signal, share: 1, everyMs: 1 }),
      ];
      await passSince(await readClock(pool));
      expect(await rebuild({ group: newGroup(), flip: true })).toMatchObject({ differences: [], flipped: true });
      await passSince(await readClock(pool));
      expect(found).toEqual([]);

      const schema = await liveSchema();
      const faults = [
        `delete from ${schema}.website_rollups where website = (select min(website) from ${schema}.website_rollups)`,
        `delete from ${schema}.sessions where session = (select session from ${schema}.sessions order by first_at limit 1)`,
      ];
      for (const text of faults) await run(pool, { text, values: [] });
      const open = await waitUntil(
        openFindings,
        (findings) =>
          ['sessions', columnOfRollup('sessions')].every((name) => findings.some(({ table }) => table === name)),
        TIMEOUT_MS,
      );
      for (const subject of new Set(open.map((finding) => finding.subject))) {
        const days = open.filter((finding) => finding.subject === subject).map(({ day }) => day);
        await repair(newGroup(), 0, { subject, days });
      }
      await passSince(await readClock(pool));
      expect(await storeReconciliations(pool, WHOLE_LOG_SHARE)).toMatchObject([{ group: 'websites', findings: 0 }]);

      stopping.abort();
      await Promise.all(loops);
      await waitUntil(
        () => newGroup().runner({ partition: 0, batch: 100, version: 'live' }).step(),
        (step) => step === 'idle',
      );
      expect(await rebuild({ group: newGroup(), flip: false })).toMatchObject({ differences: [] });
    },
    4 * TIMEOUT_MS,
  );

  const log = new MemoryLog();
  const stopping = new AbortController();
  const found: Finding[] = [];
  const write = (line: string) => {
    const { finding } = JSON.parse(line) as { readonly finding?: Finding };
    if (finding) found.push(finding);
  };
  const logger = createLogger('projector', 'info', { write });
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 12 });
    log.add(...EVENTS.splice(0, 50));
    await openLiveVersion(pool, newGroup(), log);
  });
  afterAll(async () => {
    stopping.abort();
    await pool.end();
    await database.drop();
  });

  /** As in a process of its own. */
  const newGroup = (): BoundGroup => bind(new WebsitesGroup(pool), log, pool);
  const liveSchema = async () => schemaOf('websites', await liveVersion(pool, newGroup()));

  async function repeat(work: () => Promise<unknown>): Promise<void> {
    while (!stopping.signal.aborted) {
      await work();
      await setTimeout(200);
    }
  }

  const openFindings = () =>
    run<Pick<Finding, 'subject' | 'day' | 'table'>>(
      pool,
      sql`select subject, day - '1970-01-01'::date as day, table_name as table from reconciliation_findings
        where repaired_at is null`,
    );

  const passSince = (since: Date) =>
    waitUntil(
      () => run(pool, sql`select from reconciliations where checked_since > ${since} and checked_at is not null`),
      (passes) => passes.length > 0,
      TIMEOUT_MS,
    );
});

/** Visits of two websites, which take turns. */
const EVENTS = fc
  .sample(traffic, { seed: 12, numRuns: 400 })
  .flatMap((each, n) => each.events({ websiteId: `site_${n % 2}`, organizationId: 'org_1', zone: 'Europe/Berlin' }));
