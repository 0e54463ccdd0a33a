import { isDeepStrictEqual } from 'node:util';
import type { Pool } from 'pg';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { openProjectionPool } from '../../apps/projector/src/open-pool';
import { WebsitesGroup } from '../../apps/projector/src/projections/websites/websites-group';
import { bind } from '../../apps/projector/src/runner/bound-group';
import { withVersionsLock } from '../../apps/projector/src/versions/change-layout';
import { openLiveVersion } from '../../apps/projector/src/versions/live-version';
import { createVersion } from '../../apps/projector/src/versions/version-tables';
import { createTestDatabase } from '../postgres/test-database';
import { waitUntil } from '../wait-until';
import { compareVersions } from './compare-versions';
import { keptSums, readKept } from './kept-sums';
import { MemoryLog } from './memory-log';

/** A version of the websites' tables that is written in one go. */
export const IN_ONE_GO = 2;
/** A version of them that is written in pieces. */
export const IN_PIECES = 3;

export interface WebsiteVersions {
  readonly pool: Pool;
  /** Writes a log of a new website into a version, by so many processes at once, which deliver each batch again. */
  project(version: number, log: MemoryLog, processes?: number): Promise<void>;
  /** In which tables, and in which kept counts of websites that are new since the last time, the two versions differ. */
  differences(): Promise<readonly object[]>;
  close(): Promise<void>;
}

export async function openWebsiteVersions(): Promise<WebsiteVersions> {
  const database = await createTestDatabase();
  const pool = openProjectionPool(database.url, { max: 4 });
  const group = (log: MemoryLog) => bind(new WebsitesGroup(pool, 0), log, pool); // the days of the tests are long over
  const empty = new MemoryLog();
  await openLiveVersion(pool, group(empty), empty);
  for (const version of [IN_ONE_GO, IN_PIECES]) {
    await withVersionsLock(pool, (client) => createVersion(client, group(empty), version, empty));
  }
  let compared = 0;
  return {
    pool,
    async project(version, log, processes = 1) {
      await run(pool, sql`update projection_checkpoints set cursor = '' where version = ${version}`);
      const runners = Array.from({ length: processes }, () => {
        return group(log).runner({ partition: 0, batch: 1000, version });
      });
      const stepAll = async () => {
        const steps: string[] = [];
        for (const runner of runners) steps.push(await runner.step());
        return steps;
      };
      await waitUntil(stepAll, (steps) => steps.every((step) => step === 'idle'));
    },
    async differences() {
      const kept = await Promise.all(
        [IN_ONE_GO, IN_PIECES].map((version) => readKept(pool, `websites_v${version}`, compared)),
      );
      compared = Math.max(compared, ...kept.flat().map(({ website }) => website));
      const [before = {}, after = {}] = kept.map(keptSums);
      const differing = Object.keys({ ...before, ...after }).filter(
        (name) => !isDeepStrictEqual(before[name], after[name]),
      );
      return [
        ...(await compareVersions(pool, group(empty), IN_ONE_GO, IN_PIECES)),
        ...differing.map((name) => ({ name, before: before[name], after: after[name] })),
      ];
    },
    async close() {
      await pool.end();
      await database.drop();
    },
  };
}
