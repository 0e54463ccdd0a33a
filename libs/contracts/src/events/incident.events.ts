import type { Before, Event } from './event';

export type IncidentEvent = IncidentCreated | IncidentUpdated | IncidentDeleted;

export type IncidentCreated = Event<'IncidentCreated', IncidentDetails & { incidentId: string }>;
export type IncidentUpdated = Event<
  'IncidentUpdated',
  IncidentDetails & { incidentId: string } & Before<IncidentDetails>
>;
export type IncidentDeleted = Event<
  'IncidentDeleted',
  { incidentId: string; organizationId: string; statusPageId: string; title: string }
>;

/** What people report on a status page: something that went wrong, or a maintenance that is planned. */
export interface IncidentDetails {
  readonly organizationId: string;
  readonly statusPageId: string;
  readonly title: string;
  readonly severity: IncidentSeverity;
  /** Of the newest update. */
  readonly status: IncidentStatus;
  /** Of the page; what it is about. */
  readonly monitorIds: readonly string[];
  /** Of a maintenance alone, whose checks count for nothing: ISO 8601. */
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  /** ISO 8601; null = it goes on. */
  readonly resolvedAt: string | null;
  /** The oldest first. */
  readonly updates: readonly IncidentUpdate[];
}

export type IncidentUpdate = Readonly<{
  /** ISO 8601. */
  at: string;
  status: IncidentStatus;
  message: string;
}>;

export const INCIDENT_SEVERITIES = ['minor', 'major', 'critical', 'maintenance'] as const;
export type IncidentSeverity = (typeof INCIDENT_SEVERITIES)[number];

export const INCIDENT_STATUSES = ['investigating', 'identified', 'monitoring', 'resolved'] as const;
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number];
