import type { Pool } from 'pg';
import type { RollupDifference } from '@ledgerline/aggregation/aggregation';
import type { Rollup } from '@ledgerline/contracts/aggregates/aggregate';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import { dayName } from '@ledgerline/domain/time/zones';
import type { DifferenceAt, RowDifference } from '@ledgerline/platform/database/compare-rows';
import { run, transaction, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { misdated } from '../compaction/stored-rollups';
import type { ChangedText } from '../projections/websites/dictionary';
import { describeValues } from '../rebuild/compare-versions';
import { readCheckpoint, type CheckpointKey } from '../runner/checkpoint';
import { isAnyDue } from '../runner/erasure-rules';

/** A day of a website in its zone, of a link, a monitor or a row of the registry in UTC. */
export interface SubjectDay {
  /** The id of a website, link or monitor, or the key of a row of the registry. */
  readonly subject: string;
  /** Days since 1970-01-01. */
  readonly day: number;
}

/** Rows of a table on a day that are not what follows from the log. */
export interface TableDifference extends RowDifference {
  readonly table: string;
  readonly day: number;
}

export type Finding = SubjectDay & TableDifference;

export const keyOf = ({ subject, day }: SubjectDay): string => `${subject} ${day}`;

/** The differences of each day in one, with the first rows; `at` is the day. */
export function sumByDay(table: string, differences: readonly DifferenceAt[]): readonly TableDifference[] {
  const days = new Map<number, TableDifference>();
  for (const { at: day, missing, extra, changed, expected, found } of differences) {
    const sum = days.get(day) ?? { table, day, missing: 0, extra: 0, changed: 0, expected, found };
    const counts = { missing: sum.missing + missing, extra: sum.extra + extra, changed: sum.changed + changed };
    days.set(day, { ...sum, ...counts });
  }
  return [...days.values()];
}

/** The differences of a count as findings of its column. */
export const keptFindings = ({ name }: Rollup, rows: readonly RollupDifference[]): readonly TableDifference[] =>
  sumByDay(
    `${websiteRollups.name}.${name}`,
    rows.map(({ day, key, expected, found }) => ({
      at: day,
      subject: null,
      missing: found ? 0 : 1,
      extra: expected ? 0 : 1,
      changed: expected && found ? 1 : 0,
      expected: expected && { ...key, ...expected },
      found: found && { ...key, ...found },
    })),
  );

/** Rows of kept counts that have other days than they say. */
export const misdatedFindings = (rows: Parameters<typeof misdated>[0]): readonly TableDifference[] =>
  sumByDay(
    websiteRollups.name,
    misdated(rows).map(({ number, packed, since, until }) => ({
      at: packed.since,
      subject: null,
      missing: 0,
      extra: 0,
      changed: 1,
      expected: { number, ...packed },
      found: { number, since, until },
    })),
  );

/** Texts that were changed, in one difference: they are of no day, so one is given. */
export function changedTextFindings(day: number, texts: readonly ChangedText[]): readonly TableDifference[] {
  const [first] = texts;
  if (!first) return [];
  const { id, text, found } = first;
  const expected = text === null ? { id, text: 'the text of its hash' } : { id, text };
  const counts = { missing: 0, extra: 0, changed: texts.length };
  return [{ day, table: 'dictionary', ...counts, expected, found: { id, text: found } }];
}

/** Counts how many rows differ, without what they hold. */
export function countFinding({ table, subject, day, missing, extra, changed }: Finding): string {
  const counts = Object.entries({ missing, 'too many': extra, different: changed }).filter(([, count]) => count > 0);
  const rows = counts.map(([what, count]) => `${count} ${what}`).join(', ');
  return `${table}: ${subject} on ${dayName(day)}: ${rows}`;
}

/** One sentence for people, with the first row. */
export const describeFinding = (finding: Finding): string =>
  `${countFinding(finding)}; expected ${describeValues(finding.expected)}; found ${describeValues(finding.found)}`;

/** One partition of a group. */
export type Reconciled = Omit<CheckpointKey, 'version'>;

/** Notes a partition, if it is a new one: it has not been compared since now. */
export const noteUncompared = (on: Queryable, { group, partition }: Reconciled) =>
  run(
    on,
    sql`insert into reconciliations (projection_group, partition) values (${group}, ${partition})
      on conflict do nothing`,
  );

/** Returns the one of these partitions that was compared longest ago, and for how long it has not been, ms. */
export async function findOldest(on: Queryable, group: string, partitions: readonly number[]) {
  const [row] = await run<{ partition: number; agoMs: number }>(
    on,
    sql`select partition, coalesce(extract(epoch from clock_timestamp() - checked_at) * 1000, 'infinity')::float8 as "agoMs"
      from reconciliations where projection_group = ${group} and partition = any(${partitions}::integer[])
      order by checked_at nulls first, partition limit 1`,
  );
  return row;
}

/** A repair, a retry or an erasure has changed tables since a comparison or a repair of them began. */
export class TablesRevised extends Error {
  constructor({ group }: CheckpointKey) {
    super(`Tables of ${group} were repaired, or visits erased, meanwhile; begin again.`);
    this.name = 'TablesRevised';
  }
}

/** A partition as it was when its comparison began. */
interface OpenedPartition {
  readonly pool: Pool;
  readonly key: CheckpointKey;
  readonly parkedRevision: number;
}

/**
 * Returns what a comparison of a partition has found, which reads the whole log in full, or goes on from what is
 * proven. True for
 * a new finding.
 * @throws TablesRevised where an erasure takes out what the finding holds, or may have since
 */
export const noteFound = (
  { pool, key, parkedRevision }: OpenedPartition,
  finding: Finding,
  inFull: boolean,
): Promise<boolean> =>
  transaction(pool, async (client) => {
    await run(client, lockFindings(key, sql`for share`)); // the next statement sees what its holder has changed
    const isRevised = (await readCheckpoint(client, key))?.parkedRevision !== parkedRevision;
    if (isRevised || (await isAnyDue(client, key.group))) throw new TablesRevised(key);
    return noteFinding(client, key, finding, inFull);
  });

const lockFindings = ({ group, partition }: Reconciled, lock: Sql): Sql =>
  sql`select from reconciliations where projection_group = ${group} and partition = ${partition} ${lock}`;

/** A finding; one that is known already is seen again. True for a new one. */
async function noteFinding(
  on: Queryable,
  { group, partition }: Reconciled,
  finding: Finding,
  inFull = false,
): Promise<boolean> {
  const { subject, day, table, missing, extra, changed, expected, found } = finding;
  const [row] = await run<{ known: boolean }>(
    on,
    sql`with before as (
        select from reconciliation_findings
        where projection_group = ${group} and subject = ${subject} and day = ${dayName(day)} and table_name = ${table}
          and repaired_at is null
      )
      insert into reconciliation_findings as old
        (projection_group, partition, subject, day, table_name, missing, extra, changed, expected, found, in_full)
      values (${group}, ${partition}, ${subject}, ${dayName(day)}, ${table}, ${missing}, ${extra}, ${changed},
        ${JSON.stringify(expected)}::jsonb, ${JSON.stringify(found)}::jsonb, ${inFull})
      on conflict (projection_group, subject, day, table_name) do update set
        missing = excluded.missing, extra = excluded.extra, changed = excluded.changed, expected = excluded.expected,
        found = excluded.found, in_full = excluded.in_full, seen_at = excluded.seen_at, repaired_at = null,
        found_at = case when old.repaired_at is null then old.found_at else excluded.found_at end
      returning exists (select from before) as known`,
  );
  return row?.known !== true;
}

/** Forgets what was found of a subject, with its rows; while the checkpoint is locked, so that nothing is added that was read before. */
export async function forgetFindings(on: Queryable, of: Reconciled, subject: string): Promise<void> {
  await run(on, lockFindings(of, sql`for update`));
  await run(on, sql`delete from reconciliation_findings where projection_group = ${of.group} and subject = ${subject}`);
}

/** Notes that these differences were repaired, and with them what was found of the subject before. */
export async function noteRepair(on: Queryable, of: Reconciled, subject: string, repaired: readonly Finding[]) {
  for (const finding of repaired) await noteFinding(on, of, finding);
  await run(
    on,
    sql`update reconciliation_findings set repaired_at = clock_timestamp()
      where projection_group = ${of.group} and subject = ${subject} and repaired_at is null`,
  );
}

/**
 * Notes a complete comparison that began at an instant; what it has not found again is not open any more, but for what only
 * a comparison in full may see.
 */
export async function noteCompared(on: Queryable, { group, partition }: Reconciled, since: Date, inFull: boolean) {
  await run(
    on,
    sql`delete from reconciliation_findings
      where projection_group = ${group} and partition = ${partition} and repaired_at is null and seen_at < ${since}
        and (${inFull} or not in_full)`,
  );
  await run(
    on,
    sql`insert into reconciliations (projection_group, partition, checked_since, checked_at)
      values (${group}, ${partition}, ${since}, clock_timestamp())
      on conflict (projection_group, partition) do update set
        checked_since = excluded.checked_since, checked_at = excluded.checked_at`,
  );
}

/** By the clock of the database. */
export async function readClock(on: Queryable): Promise<Date> {
  const [row] = await run<{ now: Date }>(on, sql`select clock_timestamp() as now`);
  return row?.now ?? new Date();
}
