import type { IncidentSeverity, IncidentStatus } from '@ledgerline/contracts/events/status-page.events';
import type { MonitorStatus, OverallStatus } from '@ledgerline/domain/monitors/status';
import type { PublicIncident } from './status-reports';

/** The words for a status: in a sentence, and in one word or two. */
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

const MAINTENANCE_TEXT = {
  planned: { short: 'Planned', whole: 'Planned maintenance' },
  begun: { short: 'Under maintenance', whole: 'Under maintenance' },
  calledOff: { short: 'Called off', whole: 'Maintenance called off' },
  over: { short: 'Over', whole: 'Maintenance is over' },
} as const;

/**
 * Returns what is said of an incident with a status at a time (ISO 8601): of a maintenance, whether it has begun by
 * then.
 */
export const incidentText = (incident: PublicIncident, status: IncidentStatus, at: string): string =>
  incident.severity === 'maintenance' ? maintenanceText(incident, status, at).short : INCIDENT_TEXT[status];

/** Returns what an incident is now: its severity and how it goes on, or how it is with a maintenance. */
export function stateTexts(incident: PublicIncident, now: string): readonly string[] {
  const { severity, status, resolvedAt } = incident;
  if (severity === 'maintenance') return [maintenanceText(incident, status, resolvedAt ?? now).whole];
  return [SEVERITY_TEXT[severity], INCIDENT_TEXT[status]];
}

/** Returns whether a maintenance has not begun by a time. */
export const isAhead = ({ startsAt }: PublicIncident, at: string): boolean =>
  startsAt !== null && Date.parse(at) < Date.parse(startsAt);

function maintenanceText(incident: PublicIncident, status: IncidentStatus, at: string) {
  const [ahead, begun] = status === 'resolved' ? (['calledOff', 'over'] as const) : (['planned', 'begun'] as const);
  return MAINTENANCE_TEXT[isAhead(incident, at) ? ahead : begun];
}

const SEVERITY_TEXT: Readonly<Record<Exclude<IncidentSeverity, 'maintenance'>, string>> = {
  minor: 'Minor incident',
  major: 'Major incident',
  critical: 'Critical incident',
};

const TIME = { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' } as const;

/** `1 Nov 2026, 11:05 CET`, in an IANA time zone. */
export const timeText = (instant: string, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', { ...TIME, timeZone, timeZoneName: 'short' }).format(new Date(instant));

/** `3 Nov 2026, 02:00–03:00 CET`; with both days where they differ, or the clocks do. */
function rangeText(from: string, to: string, timeZone: string): string {
  const begin = timeText(from, timeZone);
  const end = timeText(to, timeZone);
  if (begin === end) return begin;
  const [first, last] = [begin, end].map((text) => /^(.*, )(\d\d:\d\d)( .*)$/.exec(text));
  const isShort = first && last && first[1] === last[1] && first[3] === last[3];
  return isShort ? `${first[1] ?? ''}${first[2] ?? ''}–${last[2] ?? ''}${first[3] ?? ''}` : `${begin} to ${end}`;
}

/** From when to when; of a maintenance as it is planned, unless it was ended early. */
export function spanText(incident: PublicIncident, timeZone: string): string {
  const { createdAt, resolvedAt, startsAt, endsAt } = incident;
  if (startsAt !== null && endsAt !== null) {
    const isBegun = resolvedAt !== null && !isAhead(incident, resolvedAt);
    const isEarly = isBegun && Date.parse(resolvedAt) < Date.parse(endsAt);
    return rangeText(startsAt, isEarly ? resolvedAt : endsAt, timeZone);
  }
  return resolvedAt === null ? `since ${timeText(createdAt, timeZone)}` : rangeText(createdAt, resolvedAt, timeZone);
}

/** `99.95 %`; of no check `no data`. */
export const percentageText = (percentage: number | null): string =>
  percentage === null ? 'no data' : `${percentage.toFixed(2).replace(/\.?0+$/, '')} %`;
