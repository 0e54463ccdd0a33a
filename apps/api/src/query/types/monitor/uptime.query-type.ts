import { monitorChecks15min, monitorDowntimes, monitorStates } from '@ledgerline/contracts/read-models/monitors';
import { STALE_INTERVALS, uptimePercentage } from '@ledgerline/domain/monitors/status';
import { stretchesOf } from '@ledgerline/domain/query/buckets';
import { instant, sql, type Sql } from '@ledgerline/platform/database/sql';
import {
  count,
  estimate,
  millisecondsField,
  numberCell,
  nullableField,
  percent,
  seconds,
  textField,
  type ResultFields,
  type SqlRow,
} from '../../declaration/fields';
import type { QueryContext } from '../../declaration/query-context';
import { queryType } from '../../declaration/query-type';
import { percentilesIn } from '../../sql/histograms';
import { inBlocks } from '../../sql/time';

const checksIn = (context: QueryContext, columns: Sql, stretches: Parameters<typeof inBlocks>[2]): Sql =>
  inBlocks(context, monitorChecks15min, stretches, { columns, of: sql`monitor_id` });

const uptimeIn = (found: SqlRow): number | null =>
  uptimePercentage(numberCell(found, 'total_checks'), numberCell(found, 'failed_checks'));

const about = { about: 'monitor', category: 'Monitors' } as const;
const checkCounts = { uptime_percentage: nullableField(percent), total_checks: count };

export const uptimeSummary = queryType({
  ...about,
  name: 'uptime_summary',
  shape: 'totals',
  description: 'Checks of a monitor and how many failed, its downtimes and how long they took within the range',
  fields: { ...checkCounts, failed_checks: count, downtime_seconds: seconds, incidents: count },
  sources: {
    fifteenMinutes: (context) => sql`
select sum(checks)::float8 as total_checks, sum(failed)::float8 as failed_checks, min(d.seconds) as downtime_seconds,
  min(d.incidents) as incidents
from ${checksIn(context, sql`checks, failed`, [context])}
right join (${downtimesIn(context)}) d on true`,
  },
  row: (found) => ({ uptime_percentage: uptimeIn(found) }),
});

export const uptimeByDay = queryType({
  ...about,
  name: 'uptime_by_day',
  shape: 'series',
  description: 'Share of checks that did not fail over time',
  fields: { date: textField, ...checkCounts },
  sources: {
    fifteenMinutes: (context) => sql`
select bucket, sum(checks)::float8 as total_checks, sum(failed)::float8 as failed_checks
from ${checksIn(context, sql`checks, failed`, stretchesOf(context))}
group by 1`,
  },
  row: (found) => ({ uptime_percentage: uptimeIn(found) }),
});

const percentiles: ResultFields = Object.fromEntries(
  ['p50', 'p95', 'p99'].map((name) => [name, estimate(millisecondsField)]),
);

export const responseTimes = queryType({
  ...about,
  name: 'response_times',
  shape: 'series',
  description: 'How long checks that did not fail took over time',
  fields: { date: textField, avg_response_time: nullableField(millisecondsField), ...percentiles },
  sources: {
    fifteenMinutes: (context) => sql`
select bucket, round(sum(duration_ms) / nullif(sum(checks - failed), 0), 2)::float8 as avg_response_time,
  string_agg(durations, ''::bytea) as added_bins, null::bytea as subtracted_bins
from ${checksIn(context, sql`checks, failed, duration_ms, array_send(durations) as durations`, stretchesOf(context))}
group by 1`,
  },
  row: (found) => percentilesIn(found),
});

/** The downtimes within the range; one that goes on ends now, or with the last check if there are none any more. */
function downtimesIn({ table, targetId, isPaused, from, to, now }: QueryContext): Sql {
  const since = instant(from);
  const until = instant(to);
  const present = instant(now);
  return sql`
  select count(*)::float8 as incidents,
    coalesce(sum(extract(epoch from least(ended, ${until}) - greatest(started_at, ${since}))), 0)::float8 as seconds
  from (
    select started_at, coalesce(ended_at, case
      when ${isPaused} or ${present} - last_at > make_interval(secs => ${STALE_INTERVALS} * interval_seconds) then last_at
      else ${present} end) as ended
    from ${table(monitorDowntimes)} join ${table(monitorStates)} using (monitor_id)
    where monitor_id = ${targetId} and started_at < ${until}
  ) each_downtime
  where ended > ${since}`;
}
