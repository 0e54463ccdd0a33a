import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';
import type { Pool } from 'pg';
import type { WrittenTables } from '../projections/written-tables';
import { answeringTable } from './live-partition';

/** Which columns say to which days a row of a table belongs. */
export interface SignedTable {
  readonly model: ReadModel;
  /** Days are those of the subject, or else of UTC. */
  readonly isLocal: boolean;
  /** An expression on the row `t`; the row belongs to all days from the first to the last one. */
  readonly firstDay: string;
  readonly lastDay?: string;
}

/** All in one process: the share of the time is that of one core. */
const READ_ONLY =
  "begin read only; set local statement_timeout = '300s'; set local max_parallel_workers_per_gather = 0; set local jit = off";

/** The sums of the hashes of all rows of a subject, by day: rows that are missing, doubled or changed change a sum. */
export class Signatures {
  private readonly local = new Map<number, bigint>();
  private readonly utc = new Map<number, bigint>();

  add({ isLocal }: SignedTable, day: number, sum: bigint): void {
    const sums = isLocal ? this.local : this.utc;
    sums.set(day, (sums.get(day) ?? 0n) + sum);
  }

  /** Of the days of a subject; `utcDaysOf` = the days of UTC into which one reaches. */
  byDay(others: Iterable<number>, utcDaysOf: (day: number) => readonly number[]): ReadonlyMap<number, bigint> {
    const near = [...this.utc.keys()].flatMap((day) =>
      [day - 1, day, day + 1].filter((each) => utcDaysOf(each).includes(day)),
    );
    const days = new Set([...others, ...this.local.keys(), ...near]);
    const sumOf = (day: number) => utcDaysOf(day).reduce((sum, each) => sum + (this.utc.get(each) ?? 0n), 0n);
    return new Map([...days].map((day) => [day, (this.local.get(day) ?? 0n) + sumOf(day)]));
  }
}

interface Signed<Id> {
  readonly pool: Pool;
  readonly tables: WrittenTables;
  readonly signed: readonly SignedTable[];
  /** The column of the subject, and which subjects. */
  readonly column: string;
  readonly type: 'integer' | 'text';
  readonly subjects: readonly Id[];
  /** Called after each table. */
  readonly rest: () => Promise<void>;
}

/** Reads each table once; a change meanwhile is found by the next comparison. */
export async function signDays<Id>({ pool, tables, signed, column, type, subjects, rest }: Signed<Id>) {
  const signatures = new Map(subjects.map((subject) => [subject, new Signatures()]));
  for (const each of signed) {
    const answering = answeringTable(tables, each.model);
    if (!answering) continue;
    const { firstDay, lastDay } = each;
    const spread = lastDay && ` cross join lateral generate_series(${firstDay}, ${lastDay}) as day`;
    const text = `select ${identifier(column).text} as subject, ${lastDay ? 'day' : firstDay} as day,
        sum(hash_record_extended(t, hashtext($2)))::text as sum
      from ${answering.table} t${spread ?? ''} where ${identifier(column).text} = any($1::${type}[]) group by 1, 2`;
    const rows = await transaction(
      pool,
      (client) => run<{ subject: Id; day: number; sum: string }>(client, { text, values: [subjects, each.model.name] }),
      READ_ONLY,
    );
    for (const { subject, day, sum } of rows) signatures.get(subject)?.add(each, day, BigInt(sum));
    await rest();
  }
  return signatures;
}

/** The day of a date, or the day of UTC of an instant, in days since 1970-01-01. */
export function dayOfColumn({ columns }: ReadModel, column: string): string {
  const name = `t.${identifier(column).text}`;
  const date = columns[column]?.type === 'date' ? name : `(${name} at time zone 'UTC')::date`;
  return `${date} - '1970-01-01'::date`;
}
