import { latestTransitions, pageTransitions } from '@ledgerline/contracts/read-models/page-transitions';
import { entriesAt } from '@ledgerline/platform/database/histogram';
import { emptySql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/yield-to-event-loop';
import { numberIn, textIn, type SqlRow } from '../fields';
import { integers, readIntegers } from '@ledgerline/platform/database/binary-columns';
import type { QueryContext } from '../query-type';
import { CountsByPath } from './counts-by-path';
import { wholeBlocks } from './blocks';

/** How often each step was taken, and by how many sessions, as columns; paths are text ids. */
export interface Transitions {
  readonly size: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly transitions: Float64Array;
  readonly sessions: Float64Array;
}

/**
 * The histograms of the days of the range by the path they begin at, laid end to end, each after its sign and whether it
 * counts repetitions.
 */
export const transitionsByDays = (context: QueryContext): Sql => sql`
select from_path,
  encode(string_agg(int2send(sign::smallint) || int2send(repeated::smallint) || array_send(steps), ''::bytea), 'base64')
    as steps
from (
  select from_path, sign, repeated, steps
  from ${wholeBlocks(context, pageTransitions, { columns: sql`from_path, repeated, steps`, also: emptySql })}
  union all (${ofLatestDay(context)})
) histograms
group by from_path`;

const ofLatestDay = ({ table, website, startDate, endDate }: QueryContext): Sql => sql`
  select from_path, 1 as sign, repeated, array_agg((to_path::bigint << 32) + count) as steps
  from ${table(latestTransitions)}
  cross join lateral (values (0, sessions), (1, transitions - sessions)) as each (repeated, count)
  where website = ${website} and day between ${startDate}::date and ${endDate}::date and count > 0
  group by from_path, repeated`;

const [SIGN_BYTES, REPEATED_BYTES, ENTRY_BYTES] = [2, 2, 12];

/** The sums of what {@link transitionsByDays} found, without steps that add up to nothing. */
export async function addedTransitions(found: readonly SqlRow[]): Promise<Transitions> {
  const base64 = found.reduce((sum, row) => sum + textIn(row, 'steps').length, 0);
  const most = Math.floor((base64 * 3) / 4 / ENTRY_BYTES);
  const [from, to] = [new Int32Array(most), new Int32Array(most)];
  const [transitions, sessions] = [new Float64Array(most), new Float64Array(most)];
  const [counts, pause] = [new CountsByPath(), yieldToEventLoop()];
  let size = 0;
  for (const row of found) {
    const path = numberIn(row, 'from_path');
    addUp(Buffer.from(textIn(row, 'steps'), 'base64'), counts);
    counts.each((target, taken, repetitions) => {
      if (taken === 0) return;
      from[size] = path;
      to[size] = target;
      transitions[size] = taken;
      sessions[size] = taken - repetitions;
      size++;
    });
    await pause();
  }
  return { size, from, to, transitions, sessions };
}

function addUp(steps: Buffer, counts: CountsByPath): void {
  counts.clear(Math.floor(steps.length / ENTRY_BYTES));
  let at = 0;
  while (at < steps.length) {
    const sign = steps.readInt16BE(at);
    const isRepeated = steps.readInt16BE(at + SIGN_BYTES) === 1;
    at = entriesAt(steps, at + SIGN_BYTES + REPEATED_BYTES, (path, count) => {
      counts.add(path, sign * count, isRepeated ? sign * count : 0);
    });
  }
}

/** Steps from rows (from_path, to_path, transitions, sessions), as one row of columns. */
export const transitionsFrom = (steps: Sql): Sql => sql`
select ${integers(sql`from_path`)} as from_path, ${integers(sql`to_path`)} as to_path,
  ${integers(sql`transitions::integer`)} as transitions, ${integers(sql`sessions::integer`)} as sessions
from (${steps}) steps`;

export function foundTransitions([found]: readonly SqlRow[]): Transitions {
  const column = (name: string) => readIntegers(textIn(found ?? {}, name));
  const from = column('from_path');
  return {
    size: from.length,
    from,
    to: column('to_path'),
    transitions: Float64Array.from(column('transitions')),
    sessions: Float64Array.from(column('sessions')),
  };
}
