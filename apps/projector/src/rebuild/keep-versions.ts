import type { PoolClient } from 'pg';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { run } from '@ledgerline/platform/database/pool';
import { readStoredTables } from '@ledgerline/platform/database/read-model-tables';
import { sql } from '@ledgerline/platform/database/sql';
import { repeatWork } from '@ledgerline/platform/processes/periodic-work';
import { type GroupLayout, pendingVersion, readLayout } from '@ledgerline/platform/table-versions/live-tables';
import { programWith } from '@ledgerline/platform/table-versions/program';
import type { BoundGroup } from '../runner/bound-group';
import type { GroupWork } from '../runner/group-work';
import {
  changeLayout,
  hasDifferences,
  partialRollback,
  wholeRollback,
  withDifferences,
  withVersionsLock,
  withoutPrevious,
} from '../versions/change-layout';
import { isOwn, replacesLiveVersion, isWritable, withThose } from '../versions/program-tables';
import { dropFormer, dropVersions } from '../versions/version-tables';
import { type OnProgress, NotRebuilt, RebuiltElsewhere, catchUp, whileLiveIsHeld } from './catch-up';
import { countDifference } from './compare-versions';
import { withRebuildLock, rebuild, timeAfter } from './rebuild';

interface Keeping extends GroupWork {
  /** The time, ms, after a pass until the next one begins. */
  readonly everyMs?: number;
}

const EVERY_MS = 5_000;
/** The batches of those that answer wait for one of these at most. */
const BATCH = 4_000;
const OUTAGE = { began: 'tables cannot be filled; trying again', ended: 'tables are filled again' };

/** Fills what is pending in a group, and keeps the version before current, until the signal. */
export const keepVersions = ({ everyMs = EVERY_MS, ...work }: Keeping): Promise<void> =>
  repeatWork(work, { everyMs, ...OUTAGE }, async () => {
    await fillPending(work);
    await keepPrevious(work);
  });

async function fillPending({ group, logger, signal }: GroupWork): Promise<void> {
  const layout = await readLayout(group.pool, group.name);
  const version = layout && pendingVersion(layout);
  if (!layout || version === undefined || hasDifferences(layout)) return;
  if (!isOwn(group, version, await readStoredTables(group.pool, group.name))) return; // another program fills it
  const tables = group.builds.filter(({ name }) => layout.tables[name]?.pending === version);
  logger.info({ version, tables: tables.map(({ name }) => name) }, 'filling tables beside those that answer');
  try {
    const result = await rebuild({ group, tables, version, signal, flip: true, batch: BATCH });
    const { differences = [], mended, flipped } = result;
    if (mended) logger.error(`Texts that were changed got those of the log: ${mended.onlyBefore}`);
    if (flipped) {
      logger.info({ version }, 'the tables are filled and answer');
      return;
    }
    await withVersionsLock(group.pool, (client) => changeLayout(client, group.name, withDifferences));
    logger.error(
      `The tables of ${group.name} that were filled after an upgrade differ from those that answer, which stay; to see rows: npm run projections -- verify ${group.name}; to accept them: npm run projections -- rebuild ${group.name} --accept\n${differences.map(countDifference).join('\n')}`,
    );
  } catch (error) {
    if (!(error instanceof RebuiltElsewhere)) throw error;
  }
}

/** Brings the whole version that answered before to the position of the live one, while it is written and if this program writes both. */
async function keepPrevious({ group, signal }: GroupWork): Promise<void> {
  const layout = await readLayout(group.pool, group.name);
  if (!layout?.previous || isOver(layout.previous)) return;
  if (isWritable(group, layout.previous, await readStoredTables(group.pool, group.name)))
    await catchUp({ group, version: layout.previous.version, signal });
}

const isOver = ({ writtenUntil }: NonNullable<GroupLayout['previous']>): boolean =>
  writtenUntil !== undefined && Date.parse(writtenUntil) < Date.now();

interface RollbackOptions {
  readonly tables?: readonly ReadModel[];
  readonly onProgress?: OnProgress;
  readonly signal?: AbortSignal;
}

/**
 * Makes tables answer as they did before, a whole version after it has the events that came since it was written. Answers
 * their version. @throws NotRebuilt where nothing is kept
 */
export async function rollBackTables(
  group: BoundGroup,
  { tables = group.builds, ...catching }: RollbackOptions = {},
): Promise<number> {
  const models = withThose(group, tables);
  const layout = await readLayout(group.pool, group.name);
  const previous = layout?.previous;
  if (previous && replacesLiveVersion(group, models)) {
    assertAnswers(group, previous);
    const { version } = previous;
    await catchUp({ group, version, ...catching });
    await whileLiveIsHeld({ group, version }, (_, client) => turnBack(group, client));
    return version;
  }
  const kept = models.filter(({ name }) => layout?.tables[name]?.previous !== undefined);
  const [first] = kept;
  if (!layout || !first || (replacesLiveVersion(group, tables) && tables !== group.builds))
    throw nothingKept(group, tables);
  await withVersionsLock(group.pool, (client) => changeLayout(client, group.name, (now) => partialRollback(now, kept)));
  return layout.tables[first.name]?.previous ?? layout.version;
}

/** @throws NotRebuilt where a previous version has tables that this program cannot answer from */
function assertAnswers(group: BoundGroup, { version, program, tables }: NonNullable<GroupLayout['previous']>): void {
  const frozen = Object.keys(tables).filter((table) => tables[table]?.isFrozen);
  if (frozen.length > 0) throw ofAnotherProgram(group, frozen);
  if (program !== undefined && program !== programWith(group.builds))
    throw ofAnotherProgram(group, [`all tables of version ${version}`]);
}

async function turnBack(group: BoundGroup, client: PoolClient): Promise<void> {
  const stored = await readStoredTables(client, group.name);
  await changeLayout(client, group.name, (now) => wholeRollback(group, now, stored, timeAfter()));
}

const nothingKept = ({ name }: BoundGroup, tables: readonly ReadModel[]) =>
  new NotRebuilt(
    `Nothing is kept of ${tables.length === 1 ? `the table ${tables[0]?.name ?? ''}` : name} from before its last rebuild.`,
  );

const ofAnotherProgram = ({ name }: BoundGroup, tables: readonly string[]) =>
  new NotRebuilt(
    `What is kept of ${name} would not answer: ${tables.join(', ')} are of another program version. Start that version to go back.`,
  );

/**
 * Drops what is kept of tables from before, what an interrupted rebuild has left, and, with what is kept of all tables,
 * those that only an earlier program needs. Answers what it has dropped. @throws RebuiltElsewhere
 */
export const dropPrevious = (
  group: BoundGroup,
  tables: readonly ReadModel[] = group.builds,
): Promise<readonly TableSize[]> =>
  withRebuildLock(group, async () => {
    const before = await readTableSizes(group);
    await dropVersions(group, (layout) => withoutPrevious(layout, withThose(group, tables)));
    if (tables === group.builds) await dropFormer(group);
    const left = new Set((await readTableSizes(group)).map(({ table }) => table));
    return before.filter(({ table }) => !left.has(table));
  });

interface TableSize {
  /** With its schema. */
  readonly table: string;
  /** With its indexes. */
  readonly bytes: number;
}

/** The tables of all versions of a group. */
const readTableSizes = ({ pool, name }: BoundGroup) =>
  run<TableSize>(
    pool,
    sql`select n.nspname || '.' || c.relname as table, pg_total_relation_size(c.oid)::float8 as bytes
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname ~ ${`^${name}_v[0-9]+$`} and c.relkind = 'r' order by 1`,
  );
