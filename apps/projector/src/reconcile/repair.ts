import { keptCounts } from '@ledgerline/contracts/read-models/kept-counts';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { calendarOf } from '@ledgerline/domain/sessions/calendar';
import { run } from '@ledgerline/platform/database/pool';
import type { PoolClient } from 'pg';
import { openLongRunningPool } from '../open-pool';
import type { TableTarget } from '../projections/written-tables';
import { reviseParked } from '../runner/parked-events';
import type { SubjectTables } from './day-comparison';
import { findDiffering, replaceDiffering, type SubjectRows } from './differing-rows';
import { changedTextFindings, type Finding, type TableDifference } from './findings';
import { positionOf, type LivePartition } from './live-partition';
import { findDifferingKept, replaceKept } from './replace-kept';
import { mendVisitorNumbers, numberVisitors, openDaysAmong, replaceSessions } from './replace-sessions';
import { Replay, type ReplayedGroup } from './replay';

const SNAPSHOT = 'begin isolation level repeatable read';
const HELD = `begin; set local idle_in_transaction_session_timeout = '300s'; set local lock_timeout = '60s'`;

/** Some days on which tables of a website, link or monitor differ from the log. */
export interface DifferingDays {
  readonly subject: string;
  readonly days: readonly number[];
}

/**
 * Makes the live tables hold what follows from the log of a website, link or monitor: its events are projected to
 * temporary tables, and rows that differ from these replaced, as are texts that were changed. The projector of the partition waits for the last step
 * alone. Answers what differed.
 */
export async function repairSubject(
  group: ReplayedGroup,
  live: LivePartition,
  tables: SubjectTables,
  { subject, days }: DifferingDays,
): Promise<readonly Finding[]> {
  group.dictionary?.noteChanged({ mends: true });
  const pool = openLongRunningPool(live.pool);
  const client = await pool.connect();
  try {
    const replay = await Replay.open(client, group, live, subject);
    const readOn = async () => replay.readTo(await positionOf(client, live));
    await readOn();
    const [value = subject] = await tables.valuesOf(client, [subject]);
    const all = rowsOf(group, live, { column: tables.column, value });
    const differing: SubjectRows[] = [];
    const differingKept: TableTarget[] = [];
    const found = await inTransaction(client, SNAPSHOT, async () => {
      await readOn();
      const differences: TableDifference[] = [];
      for (const rows of all) {
        const ofTable = await findDiffering(client, rows, (at) => calendarOf(replay.zone).day(at));
        if (ofTable.length > 0) differing.push(rows);
        differences.push(...ofTable);
      }
      for (const target of group.builds.includes(keptCounts) ? live.tables.targetsOf(keptCounts) : []) {
        const ofTable = await findDifferingKept(client, target, Number(value));
        if (ofTable.length > 0) differingKept.push(target);
        differences.push(...ofTable);
      }
      return differences;
    });
    await readOn();
    await inTransaction(client, HELD, async () => {
      await run(client, reviseParked(live.key)); // locks the checkpoint
      await readOn();
      const ofSessions = all.find(({ replayed }) => replayed === sessions);
      if (ofSessions) await numberVisitors(client, ofSessions);
      for (const rows of differing) {
        if (rows.replayed === sessions) await replaceSessions(client, live.tables, rows);
        else await replaceDiffering(client, rows);
      }
      for (const target of differingKept) await replaceKept(client, target, Number(value));
      if (!ofSessions) return;
      await mendVisitorNumbers(client, live.tables, ofSessions);
      await openDaysAmong(client, live.tables, ofSessions, days);
    });
    const texts = changedTextFindings(subject, Math.max(0, ...days), [...(group.dictionary?.changed.values() ?? [])]);
    return [...texts, ...found.map((each) => ({ ...each, subject }))];
  } finally {
    client.release(true); // with the temporary tables
    await pool.end();
  }
}

/** The rows of a subject in each table that is compared. */
const rowsOf = ({ builds }: ReplayedGroup, { tables }: LivePartition, of: Pick<SubjectRows, 'column' | 'value'>) =>
  builds
    .filter(({ isCompared, columns }) => isCompared !== false && of.column in columns)
    .flatMap((replayed) => tables.targetsOf(replayed).map((table): SubjectRows => ({ ...table, ...of, replayed })));

async function inTransaction<T>(client: PoolClient, begin: string, work: () => Promise<T>): Promise<T> {
  await client.query(begin);
  const result = await work();
  await client.query('commit');
  return result;
}
