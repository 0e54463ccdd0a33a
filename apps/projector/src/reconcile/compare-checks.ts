import { LINK_SPANS } from '@ledgerline/contracts/read-models/blocks';
import { monitorChecks15min } from '@ledgerline/contracts/read-models/monitors';
import { compareQueries, days as dayOf, either } from '@ledgerline/platform/database/compare-rows';
import type { Queryable } from '@ledgerline/platform/database/pool';
import type { DayComparison } from './day-comparison';
import { dayName, type Finding, type SubjectDay } from './findings';
import { answeringTable } from './live-partition';

const SUMS = ['checks', 'failed', 'duration_ms'] as const;

/** Compares the sums of days of monitors, in blocks of each span, with what the log adds under their names. */
export async function compareChecks(
  on: Queryable,
  days: readonly SubjectDay[],
  comparison: DayComparison,
): Promise<readonly Finding[]> {
  const answering = answeringTable(comparison.live.tables, monitorChecks15min);
  if (!answering) return [];
  const sums = SUMS.filter((name) => name in answering.model.columns);
  const logged = days.map((of) => {
    const counts = comparison.loggedOn(of);
    const added = sums.map((name) => [name, counts.get(name)?.events ?? 0] as const);
    return { subject: of.subject, day: dayName(of.day), ...Object.fromEntries(added) };
  });
  const given = `jsonb_to_recordset($1::jsonb)
    as logged (subject text, day date, ${sums.map((name) => `${name} bigint`).join(', ')})`;
  const [begin, end] = ['day', 'day + 1'].map((day) => `(${day})::timestamp at time zone 'UTC'`);
  const isSomething = sums.map((name) => `${name} <> 0`).join(' or ');
  const found = await compareQueries(on, {
    keys: ['subject', 'day', 'span'],
    at: dayOf('day'),
    subject: either('subject'),
    expected: `select subject, day, span, ${sums.join(', ')}
      from ${given} cross join unnest('{${LINK_SPANS.join(', ')}}'::smallint[]) as span where ${isSomething}`,
    stored: `select * from (
        select subject, day, span, ${sums.map((name) => `sum(t.${name})::bigint as ${name}`).join(', ')}
        from ${given} join ${answering.table} t
          on t.monitor_id = subject and start_15min >= ${begin} and start_15min < ${end}
        group by 1, 2, 3
      ) summed where ${isSomething}`,
    values: [JSON.stringify(logged)],
  });
  return found.map(({ at: day, subject, ...difference }) => {
    return { subject: subject ?? '', day, table: monitorChecks15min.name, ...difference };
  });
}
