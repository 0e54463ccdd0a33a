import type { Column, ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { sessionDays } from '@ledgerline/contracts/read-models/session-days';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';
import type { Pool } from 'pg';
import type { WrittenTables } from '../projections/written-tables';
import { answeringTable } from './live-partition';

/** All in one process: the share of the time is that of one core. */
const READ_ONLY =
  "begin read only; set local statement_timeout = '300s'; set local max_parallel_workers_per_gather = 0; set local jit = off";

/** The sums of the hashes of all rows of a subject, by day: rows that are missing, doubled or changed change a sum. */
export class Signatures {
  private readonly local = new Map<number, bigint>();
  private readonly utc = new Map<number, bigint>();

  add(isLocal: boolean, day: number, sum: bigint): void {
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

/** From an instant or day up to another one, as Postgres reads both. */
export type TimeRange = readonly [since: string, until: string];
export const ALWAYS: TimeRange = ['-infinity', 'infinity'];

interface Signed {
  readonly pool: Pool;
  readonly tables: WrittenTables;
  readonly models: readonly ReadModel[];
  /** The column of the subject, and what it holds of which subjects. */
  readonly column: string;
  readonly values: readonly (string | number)[];
  /** One statement reads one of them. */
  readonly ranges: readonly TimeRange[];
  /** Called after each statement. */
  readonly rest: () => Promise<void>;
}

/** Reads each table once; a change meanwhile is found by the next comparison. Answers signatures by the value of the column. */
export async function signDays({ pool, tables, models, column, values, ranges, rest }: Signed) {
  const signatures = new Map(values.map((value) => [value, new Signatures()]));
  for (const model of models) {
    const answering = answeringTable(tables, model);
    const time = timeColumn(model);
    if (!answering || !time) continue;
    const [day, isSpread] = [dayOf(time), time.name === 'first_at'];
    const spread = ` cross join lateral generate_series(${day}, ${dayOf({ ...time, name: 'last_at' })}) as day`;
    const [subject, at] = [identifier(column).text, `t.${identifier(time.name).text}`];
    const text = `select ${subject} as subject, ${isSpread ? 'day' : day} as day,
        sum(hash_record_extended(t, hashtext($2)))::text as sum
      from ${answering.table} t${isSpread ? spread : ''}
      where ${subject} = any($1) and ${at} >= $3 and ${at} < $4 group by 1, 2`;
    const isLocal = time.name === 'day' && model !== sessionDays;
    for (const range of ranges) {
      const statement = { text, values: [values, model.name, ...range] };
      type Sum = { subject: string | number; day: number; sum: string };
      for (const row of await transaction(pool, (client) => run<Sum>(client, statement), READ_ONLY))
        signatures.get(row.subject)?.add(isLocal, row.day, BigInt(row.sum));
      await rest();
    }
  }
  return signatures;
}

interface TimeColumn {
  readonly name: string;
  readonly type: 'date' | 'timestamptz';
}

/** What says to which day a row belongs: the first date or instant. */
export function timeColumn({ columns }: ReadModel): TimeColumn | undefined {
  for (const [name, { type }] of Object.entries<Column>(columns)) {
    if (type === 'date' || type === 'timestamptz') return { name, type };
  }
  return undefined;
}

/** The day of a date, or the day of UTC of an instant, in days since 1970-01-01. */
export function dayOf({ name, type }: TimeColumn): string {
  const column = `t.${identifier(name).text}`;
  return `${type === 'date' ? column : `(${column} at time zone 'UTC')::date`} - '1970-01-01'::date`;
}
