import type { Pool } from 'pg';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { schemaOf } from '@ledgerline/contracts/read-models/registry';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { declarationOf, readStoredTables } from '@ledgerline/platform/database/read-model-tables';
import { sql } from '@ledgerline/platform/database/sql';
import { LogTampered } from '@ledgerline/platform/log/log-reader';
import { pause } from '@ledgerline/platform/log/timing';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { repeatWork } from '@ledgerline/platform/processes/periodic-work';
import { compactRollups } from '../compaction/compact-rollups';
import { packParts } from '../sealing/pack-parts';
import { countDays, sealDays } from '../sealing/seal-days';
import { isSameTable, resolveTables } from '../versions/program-tables';
import type { BoundGroup } from './bound-group';
import type { CompactionObserver, SealingObserver } from './observers';

/** Work on one group beside its batches. */
export interface GroupWork {
  readonly group: BoundGroup;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Periodic work that one process has to do; it must be safe to do twice. */
export interface MaintenanceTask {
  readonly name: string;
  run(pool: Pool, now: Date): Promise<unknown>;
}

interface MaintenanceLoop {
  readonly pool: Pool;
  readonly tasks: readonly MaintenanceTask[];
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

const MAINTENANCE_EVERY_MS = 60_000;

/** Runs all tasks at start and every minute, each in the first process that gets its lock. */
export async function runMaintenance(loop: MaintenanceLoop): Promise<void> {
  while (!loop.signal.aborted) {
    for (const task of loop.tasks) await runTask(task, loop);
    await pause(MAINTENANCE_EVERY_MS, loop.signal);
  }
}

async function runTask(task: MaintenanceTask, { pool, logger }: MaintenanceLoop): Promise<void> {
  try {
    await transaction(pool, async (client) => {
      const lock = sql`select pg_try_advisory_xact_lock(hashtext(${`ledgerline maintenance ${task.name}`})) as mine`;
      const [row] = await run<{ mine: boolean }>(client, lock);
      if (row?.mine) await task.run(pool, new Date());
    });
  } catch (error) {
    if (error instanceof LogTampered) logger.error({ task: task.name }, error.message);
    else logger.warn({ err: error, task: task.name }, 'a maintenance task failed; it is retried in a minute');
  }
}

interface PackingLoop extends GroupWork {
  readonly observer?: CompactionObserver | undefined;
}

/** So many times as long as a pass took that found nothing passes until the next one. */
const REST = 20;
const PACKING = {
  everyMs: 1_000,
  began: 'kept counts cannot be packed; trying again',
  ended: 'kept counts are packed again',
};

/** Packs the kept counts of a group, of all versions that this program writes, until the signal. */
export const runCompaction = (loop: PackingLoop): Promise<void> => repeatWork(loop, PACKING, () => packOnce(loop));

async function packOnce({ group, signal, observer }: PackingLoop): Promise<void> {
  const begunAt = performance.now();
  let hasFound = false;
  let failed = 0;
  let error: unknown = undefined;
  for (const schema of await packedSchemas(group)) {
    const passAt = performance.now();
    const result = await compactRollups({ pool: group.pool, schema, signal });
    if (result.found > 0) observer?.onPass(result, performance.now() - passAt);
    hasFound ||= result.found > 0;
    failed += result.failed;
    error ??= result.failed > 0 ? result.error : undefined;
  }
  if (failed > 0) throw new Error(`The kept counts of ${failed} websites could not be packed`, { cause: error });
  if (!hasFound) await pause(REST * (performance.now() - begunAt), signal);
}

/** Returns the schemas with packed days, also of versions that are being filled, or that answered before. */
async function packedSchemas({ pool, name }: BoundGroup): Promise<readonly string[]> {
  const own = declarationOf(websiteRollups);
  const tables = await readStoredTables(pool, name);
  return tables
    .filter(({ name: table, declaration }) => table === websiteRollups.name && isSameTable(declaration, own))
    .map(({ version }) => schemaOf(name, version));
}

const PARTS = {
  everyMs: 1_000,
  began: 'sessions of open days cannot be packed; trying again',
  ended: 'sessions of open days are packed again',
};

/** Packs the sessions of open days of the live version of a group, until the signal. */
export const runPartsPacking = (loop: GroupWork): Promise<void> => repeatWork(loop, PARTS, () => packPartsOnce(loop));

async function packPartsOnce({ group, signal }: GroupWork): Promise<void> {
  const begunAt = performance.now();
  const schema = (await resolveTables(group.pool, group, 'live')).tables.state;
  const { packed, failed, error } = await packParts({ pool: group.pool, schema, signal });
  if (failed > 0) throw new Error(`The sessions of ${failed} open days could not be packed`, { cause: error });
  if (packed === 0) await pause(REST * (performance.now() - begunAt), signal);
}

interface SealingLoop extends GroupWork {
  readonly observer?: SealingObserver | undefined;
}

/** After so long without a change a day is sealed. */
const QUIET_MS = 5 * 60_000;
const SEALING = {
  everyMs: 60_000,
  began: 'days of sessions cannot be sealed; trying again',
  ended: 'days of sessions are sealed again',
};

/** Seals days of the live version of a group at start and every minute, until the signal. */
export const runSealing = (loop: SealingLoop): Promise<void> => repeatWork(loop, SEALING, () => sealOnce(loop));

async function sealOnce({ group, logger, signal, observer }: SealingLoop): Promise<void> {
  const { pool, share } = group;
  const schema = (await resolveTables(pool, group, 'live')).tables.state;
  const begunAt = performance.now();
  const onDay = observer?.onDay;
  const { sealed, failed, error } = await sealDays({
    pool,
    schema,
    signal,
    quietMs: QUIET_MS,
    ...(onDay && { onDay }),
  });
  const seconds = Math.round((performance.now() - begunAt) / 100) / 10;
  if (sealed > 0) logger.info({ days: sealed, seconds }, 'days of sessions were sealed');
  observer?.onDays(share.place, await countDays(pool, schema));
  if (failed > 0) throw new Error(`${failed} days of sessions could not be sealed`, { cause: error });
}
