import {
  decodeRollupPart,
  mergeRollupRows,
  type RollupRows,
  rowsOn,
  type UnreadablePack,
} from '@ledgerline/aggregation/aggregation';
import type { Rollup } from '@ledgerline/contracts/aggregates/aggregate';
import type { DayWindow } from '@ledgerline/contracts/sessions/local-session';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';

/** The stored rollups of a count in a table. */
export interface StoredRollups {
  /** The rows that all packs add up to. */
  readonly pack: RollupRows;
  readonly unreadable: readonly UnreadablePack[];
  /** The days that were read of each row. */
  readonly rows: readonly RowDays[];
}

/** A row with the days that it says it has numbers of, and those that its packs have. */
interface RowDays extends DayWindow {
  readonly number: number;
  readonly packed: DayWindow;
}

interface StoredRollup {
  readonly website: number;
  readonly number: number;
  readonly since: number;
  readonly until: number;
  readonly bytes: Uint8Array;
}

const ANY_DAY: DayWindow = { since: -Infinity, until: Infinity };
const FIRST = -(2 ** 31);
const LAST = 2 ** 31 - 1;

/** Reads the rollups of some websites and days; a row counts on the days alone that it says it has numbers of. */
export async function readStoredRollups(
  on: Queryable,
  table: string,
  count: Rollup,
  websites: readonly number[],
  { since, until }: DayWindow = ANY_DAY,
): Promise<StoredRollups> {
  const column = identifier(count.name).text;
  const text = `select website, number::float8 as number, since, until, ${column} as bytes from ${table}
    where website = any($1::integer[]) and ${column} is not null and since <= $2 and until >= $3`;
  const values = [websites, Math.min(until, LAST), Math.max(since, FIRST)];
  const parts: RollupRows[] = [];
  const unreadable: UnreadablePack[] = [];
  const rows: RowDays[] = [];
  for (const { website, number, bytes, ...days } of await run<StoredRollup>(on, { text, values })) {
    try {
      const pack = decodeRollupPart(count, bytes);
      const [of] = pack.columns;
      if (of && pack.size > 0)
        rows.push({ number, ...days, packed: { since: of[0] as number, until: of[pack.size - 1] as number } });
      const both = { since: Math.max(since, days.since), until: Math.min(until, days.until) };
      parts.push(rowsOn(count, pack, website, both));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      unreadable.push({ website, day: Math.max(since, days.since) });
    }
  }
  return { pack: mergeRollupRows(count, parts), unreadable, rows };
}

/** The rows that do not say of exactly the days of their packs, which were read count by count, that they have numbers of them. */
export function misdated(rows: readonly RowDays[]): readonly RowDays[] {
  const byNumber = new Map<number, RowDays>();
  for (const row of rows) {
    const { since, until } = byNumber.get(row.number)?.packed ?? row.packed;
    const packed = { since: Math.min(since, row.packed.since), until: Math.max(until, row.packed.until) };
    byNumber.set(row.number, { ...row, packed });
  }
  return [...byNumber.values()].filter(({ since, until, packed }) => since !== packed.since || until !== packed.until);
}
