import type { IncidentDto } from '@ledgerline/client';
import type { Tone } from '../../components/badge';

export type IncidentStatus = IncidentDto['status'];
export type Severity = IncidentDto['severity'];

export const STATUSES: readonly (readonly [IncidentStatus, string])[] = [
  ['investigating', 'Investigating'],
  ['identified', 'Identified'],
  ['monitoring', 'Monitoring'],
  ['resolved', 'Resolved'],
];

export const SEVERITIES: readonly (readonly [Severity, string])[] = [
  ['minor', 'Minor'],
  ['major', 'Major'],
  ['critical', 'Critical'],
];

export const SEVERITY_BADGES: Readonly<Record<Severity, readonly [Tone, string]>> = {
  minor: ['warning', 'Minor'],
  major: ['danger', 'Major'],
  critical: ['danger', 'Critical'],
  maintenance: ['neutral', 'Maintenance'],
};

/** The word of a status for people. */
export const statusText = (status: IncidentStatus): string => STATUSES.find(([each]) => each === status)?.[1] ?? status;

/** How an incident or a maintenance is now. */
export function stateText(incident: IncidentDto, now = Date.now()): string {
  const { severity, status, repeat, occurrence, resolvedAt } = incident;
  if (severity !== 'maintenance') return statusText(status);
  if (resolvedAt !== null || (repeat && !occurrence)) return 'Over';
  const { startsAt, endsAt } = occurrence ?? incident;
  if (startsAt !== null && Date.parse(startsAt) > now) return 'Planned';
  return endsAt !== null && Date.parse(endsAt) <= now ? 'Over' : 'Under maintenance';
}

/** `3 Nov 2026`, of a calendar day. */
export const dayText = (day: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day));

export const statusIn = (text: string | undefined): IncidentStatus =>
  STATUSES.find(([each]) => each === text)?.[0] ?? 'investigating';
