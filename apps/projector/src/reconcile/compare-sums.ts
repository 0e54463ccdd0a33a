import { LINK_SPANS } from '@ledgerline/contracts/read-models/blocks';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { compareQueries, days as dayOf, either } from '@ledgerline/platform/database/compare-rows';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';
import type { DayComparison } from './day-comparison';
import { dayName, type Finding, type SubjectDay } from './findings';
import { answeringTable } from './live-partition';

/** Columns of some tables whose sums of a day of UTC are what the log adds under their names. */
interface Sums {
  readonly models: readonly ReadModel[];
  readonly columns: readonly string[];
  /** The column of the link or monitor. */
  readonly column: string;
  readonly days: readonly SubjectDay[];
}

/** Compares the sums of days, in blocks of each span, with what the log adds. */
export async function compareSums(
  on: Queryable,
  { models, columns, column, days }: Sums,
  comparison: DayComparison,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const logged = days.map((of) => {
    const counts = comparison.loggedOn(of);
    const sums = columns.map((name) => [name, counts.get(name)?.events ?? 0] as const);
    return { subject: of.subject, day: dayName(of.day), ...Object.fromEntries(sums) };
  });
  for (const each of days.length > 0 ? models : []) {
    const answering = answeringTable(comparison.live.tables, each);
    if (!answering) continue;
    const own = columns.filter((name) => name in answering.model.columns).map((name) => identifier(name).text);
    const given = `jsonb_to_recordset($1::jsonb)
      as logged (subject text, day date, ${own.map((name) => `${name} bigint`).join(', ')})`;
    const [begin, end] = ['day', 'day + 1'].map((day) => `(${day})::timestamp at time zone 'UTC'`);
    const isSomething = own.map((name) => `${name} <> 0`).join(' or ');
    const found = await compareQueries(on, {
      keys: ['subject', 'day', 'span'],
      at: dayOf('day'),
      subject: either('subject'),
      expected: `select subject, day, span, ${own.join(', ')}
        from ${given} cross join unnest('{${LINK_SPANS.join(', ')}}'::smallint[]) as span where ${isSomething}`,
      stored: `select * from (
          select subject, day, span, ${own.map((name) => `sum(t.${name})::bigint as ${name}`).join(', ')}
          from ${given} join ${answering.table} t
            on t.${identifier(column).text} = subject and start_15min >= ${begin} and start_15min < ${end}
          group by 1, 2, 3
        ) summed where ${isSomething}`,
      values: [JSON.stringify(logged)],
    });
    for (const { at: day, subject, ...difference } of found)
      findings.push({ subject: subject ?? '', day, table: each.name, ...difference });
  }
  return findings;
}
