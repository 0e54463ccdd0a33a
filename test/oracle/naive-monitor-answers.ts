import type { MonitorChecked } from '@ledgerline/contracts/events/observed-events';

type Row = Readonly<Record<string, unknown>>;
type Span = Readonly<{ from: number; to: number; now: number; isPaused?: boolean }>;

/** Returns what the query types of monitors answer of the checks of one, in the order of the log, by plain loops. */
export function naiveUptime(checks: readonly MonitorChecked[], span: Span): Row {
  const own = counted(checks, span);
  const failed = own.filter(({ data }) => !data.up).length;
  const downtimes = naiveDowntimes(checks, span).filter(({ from, to }) => from < span.to && to > span.from);
  const seconds = downtimes.map(({ from, to }) => (Math.min(to, span.to) - Math.max(from, span.from)) / 1_000);
  return {
    uptime_percentage: share(own.length - failed, own.length),
    total_checks: own.length,
    failed_checks: failed,
    downtime_seconds: seconds.reduce((sum, each) => sum + each, 0),
    incidents: downtimes.length,
  };
}

export function naiveUptimeRow(checks: readonly MonitorChecked[], date: string, span: Span): Row {
  const { uptime_percentage, total_checks } = naiveUptime(checks, span);
  return { date, uptime_percentage, total_checks };
}

/** Exact, where the product's percentiles are within 1 %. */
export function naiveResponseTimes(checks: readonly MonitorChecked[], date: string, span: Span): Row {
  const times = counted(checks, span)
    .filter(({ data }) => data.up)
    .map(({ data }) => data.durationMs)
    .sort((a, b) => a - b);
  const sum = times.reduce((total, each) => total + each, 0);
  const at = (percent: number) => times[Math.ceil((percent / 100) * times.length) - 1] ?? null;
  const average = times.length === 0 ? null : Math.round((sum / times.length) * 100) / 100;
  return { date, avg_response_time: average, p50: at(50), p95: at(95), p99: at(99) };
}

const counted = (checks: readonly MonitorChecked[], { from, to }: Span) =>
  checks.filter(({ at, data }) => at >= from && at < to && !data.maintenance);

/** Two decimals, but never 100 unless it is the whole. */
function share(part: number, whole: number): number | null {
  if (whole === 0) return null;
  const rounded = Math.round((part / whole) * 10_000) / 100;
  return rounded === 100 && part < whole ? 99.99 : rounded;
}

/** Runs of failed checks, at least two, cut where there was none for more than three intervals, or is none any more. */
function naiveDowntimes(
  checks: readonly MonitorChecked[],
  { now, isPaused = false }: Span,
): { from: number; to: number }[] {
  const inTime: MonitorChecked[] = [];
  for (const check of checks) if (check.at > (inTime.at(-1)?.at ?? -Infinity)) inTime.push(check);
  const found: { from: number; to: number }[] = [];
  for (let first = 0; first < inTime.length; first++) {
    if (!fails(inTime[first]) || (first > 0 && fails(inTime[first - 1]) && !isGapAfter(inTime, first - 1))) continue;
    let last = first;
    while (fails(inTime[last + 1]) && !isGapAfter(inTime, last)) last++;
    if (last === first) continue;
    const newest = inTime[last]!;
    const next = inTime[last + 1];
    const silence = (next?.at ?? now) - newest.at;
    const isGap = next ? isGapAfter(inTime, last) : isPaused || silence > 3 * newest.data.intervalSeconds * 1_000;
    found.push({ from: inTime[first]!.at, to: isGap ? newest.at : (next?.at ?? now) });
  }
  return found;
}

const fails = (check: MonitorChecked | undefined) => check !== undefined && !check.data.up && !check.data.maintenance;

function isGapAfter(checks: readonly MonitorChecked[], place: number): boolean {
  const one = checks[place];
  const next = checks[place + 1];
  return (
    one !== undefined &&
    next !== undefined &&
    (next.data.resumed || next.at - one.at > 3 * one.data.intervalSeconds * 1_000)
  );
}
