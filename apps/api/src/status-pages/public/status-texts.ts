import type { IncidentSeverity, IncidentStatus } from '@ledgerline/contracts/events/incident.events';
import type { MonitorStatus, OverallStatus } from '@ledgerline/domain/monitors/status';

/** What people read of a status: in a sentence, and in one word or two. */
export const OVERALL_TEXT: Readonly<Record<OverallStatus, { readonly sentence: string; readonly short: string }>> = {
  operational: { sentence: 'All systems are operational', short: 'operational' },
  degraded: { sentence: 'Some systems have problems', short: 'degraded' },
  outage: { sentence: 'There is an outage', short: 'outage' },
  unknown: { sentence: 'The status is not known at the moment', short: 'unknown' },
};

export const MONITOR_TEXT: Readonly<Record<MonitorStatus, string>> = {
  up: 'Up',
  down: 'Down',
  degraded: 'Degraded',
  unknown: 'Unknown',
};

const INCIDENT_TEXT: Readonly<Record<IncidentStatus, string>> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
};

/** A maintenance that is not under way yet is planned, and not investigated. */
export const incidentText = (severity: IncidentSeverity, status: IncidentStatus): string =>
  severity === 'maintenance' && status === 'investigating' ? 'Planned' : INCIDENT_TEXT[status];

export const SEVERITY_TEXT: Readonly<Record<IncidentSeverity, string>> = {
  minor: 'Minor incident',
  major: 'Major incident',
  critical: 'Critical incident',
  maintenance: 'Planned maintenance',
};

/** `1 Nov 2026, 10:05 UTC` */
export const timeText = (instant: string): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(instant))} UTC`;

/** `99.95 %`; of no check `no data`. */
export const percentText = (percentage: number | null): string =>
  percentage === null ? 'no data' : `${percentage.toFixed(2).replace(/\.?0+$/, '')} %`;
