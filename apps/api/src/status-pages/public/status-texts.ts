import type { IncidentSeverity, IncidentStatus } from '@ledgerline/contracts/events/incident.events';
import type { MonitorStatus, OverallStatus } from '@ledgerline/domain/monitors/status';
import type { PublicIncident } from './status-reports';

/** What people read of a status: in a sentence, and in one word or two. */
export const OVERALL_TEXT: Readonly<Record<OverallStatus, { readonly sentence: string; readonly short: string }>> = {
  operational: { sentence: 'All systems are operational', short: 'operational' },
  degraded: { sentence: 'Some systems have problems', short: 'degraded' },
  outage: { sentence: 'There is an outage', short: 'outage' },
  unknown: { sentence: 'The status is not known at the moment', short: 'unknown' },
  maintenance: { sentence: 'Some systems are under maintenance', short: 'under maintenance' },
};

export const MONITOR_TEXT: Readonly<Record<MonitorStatus, string>> = {
  up: 'Up',
  down: 'Down',
  degraded: 'Degraded',
  unknown: 'Unknown',
  maintenance: 'Under maintenance',
};

const INCIDENT_TEXT: Readonly<Record<IncidentStatus, string>> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
};

/** What is said of an incident with a status at a time (ISO 8601): of a maintenance, whether it has begun by then. */
export function incidentText(
  { severity, startsAt }: Pick<PublicIncident, 'severity' | 'startsAt'>,
  status: IncidentStatus,
  at: string,
): string {
  if (severity !== 'maintenance') return INCIDENT_TEXT[status];
  const isAhead = startsAt !== null && Date.parse(at) < Date.parse(startsAt);
  if (status === 'resolved') return isAhead ? 'Called off' : 'Over';
  return isAhead ? 'Planned' : 'Under maintenance';
}

/** The same of an incident as it is now. */
export const stateText = (incident: PublicIncident, now: string): string =>
  incidentText(incident, incident.status, incident.resolvedAt ?? now);

export const SEVERITY_TEXT: Readonly<Record<IncidentSeverity, string>> = {
  minor: 'Minor incident',
  major: 'Major incident',
  critical: 'Critical incident',
  maintenance: 'Maintenance',
};

const TIME = { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const;

/** `1 Nov 2026, 11:05 CET`, in an IANA time zone. */
export const timeText = (instant: string, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', { ...TIME, timeZone, timeZoneName: 'short' }).format(new Date(instant));

/** `3 Nov 2026, 02:00–03:00 CET`; with both days where they differ, or the clocks do. */
function rangeText(from: string, to: string, timeZone: string): string {
  const [begin, end] = [timeText(from, timeZone), timeText(to, timeZone)];
  const [first, last] = [begin, end].map((text) => /^(.*, )(\d\d:\d\d)( .*)$/.exec(text));
  const isShort = first && last && first[1] === last[1] && first[3] === last[3];
  return isShort ? `${first[1] ?? ''}${first[2] ?? ''}–${last[2] ?? ''}${first[3] ?? ''}` : `${begin} to ${end}`;
}

/** From when to when; of a maintenance as it is planned, unless it was ended early. */
export function spanText({ createdAt, resolvedAt, startsAt, endsAt }: PublicIncident, timeZone: string): string {
  if (startsAt !== null && endsAt !== null) {
    const isEarly = resolvedAt !== null && startsAt < resolvedAt && resolvedAt < endsAt;
    return rangeText(startsAt, isEarly ? resolvedAt : endsAt, timeZone);
  }
  return resolvedAt === null ? `since ${timeText(createdAt, timeZone)}` : rangeText(createdAt, resolvedAt, timeZone);
}

/** `99.95 %`; of no check `no data`. */
export const percentText = (percentage: number | null): string =>
  percentage === null ? 'no data' : `${percentage.toFixed(2).replace(/\.?0+$/, '')} %`;
