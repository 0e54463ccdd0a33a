import type { BeforeValues, Event, LastValues } from './event';

export type StatusPageEvent = StatusPageCreated | StatusPageUpdated | StatusPageDeleted;

export type StatusPageCreated = Event<'StatusPageCreated', StatusPageDetails & { statusPageId: string }>;
export type StatusPageUpdated = Event<
  'StatusPageUpdated',
  StatusPageDetails & { statusPageId: string } & BeforeValues<StatusPageSettings>
>;
export type StatusPageDeleted = Event<
  'StatusPageDeleted',
  StatusPageAddress & { statusPageId: string; name: string } & LastValues<StatusPageSettings>
>;

/** The first event of a slug's stream: the slug belongs to the organization for ever. */
export type StatusSlugReserved = Event<'StatusSlugReserved', { slug: string; organizationId: string }>;

/** Where a page is found; fixed for ever. */
export interface StatusPageAddress {
  readonly organizationId: string;
  /** 3–50 of `[a-z0-9-]`, unique over all organizations. */
  readonly slug: string;
}

export type StatusPageDetails = StatusPageAddress & StatusPageSettings;

/** The settings of a status page that may change. */
export interface StatusPageSettings {
  readonly name: string;
  readonly description: string | null;
  /** In the order in which they are shown. */
  readonly monitorIds: readonly string[];
  /** A page that is not public is not found. */
  readonly isPublic: boolean;
  /** IANA; of the times that it shows. */
  readonly timezone: string;
}

export type IncidentEvent = IncidentCreated | IncidentUpdated | IncidentDeleted;

export type IncidentCreated = Event<'IncidentCreated', IncidentDetails & { incidentId: string }>;
export type IncidentUpdated = Event<
  'IncidentUpdated',
  IncidentDetails & { incidentId: string } & BeforeValues<IncidentDetails>
>;
export type IncidentDeleted = Event<
  'IncidentDeleted',
  { incidentId: string; organizationId: string; statusPageId: string; title: string }
>;

/** A report on a status page: something that went wrong, or a maintenance that is planned. */
export interface IncidentDetails {
  readonly organizationId: string;
  readonly statusPageId: string;
  readonly title: string;
  readonly severity: IncidentSeverity;
  /** The status of the newest update. */
  readonly status: IncidentStatus;
  /** The monitors of the page that it is about. */
  readonly monitorIds: readonly string[];
  /** The begin of a maintenance, whose checks count for nothing: ISO 8601. */
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  /** In place of these two; null or absent = it takes place once. */
  readonly repeat?: MaintenanceRepeat | null;
  /** ISO 8601: when `repeat` was set or changed last. What is over by then did not take place by it. */
  readonly repeatSetAt?: string | null;
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
  /** The day of the occurrence of a repeating maintenance that it is about; null or absent = about all of them. */
  occurrence?: string | null;
}>;

/** When a maintenance takes place, by the calendar and the clocks of a time zone. */
export interface MaintenanceRepeat {
  readonly every: RepeatPeriod;
  /** Every so many days, weeks (that begin on Monday) or months, counted from that of `from`. */
  readonly interval: number;
  /** The weekdays of a repetition by weeks, where it is not empty. */
  readonly weekdays: readonly Weekday[];
  /** The day of a repetition by months, where it is not null; months without the day are left out. */
  readonly monthDay: number | 'last' | null;
  /** IANA. */
  readonly timezone: string;
  /** `HH:MM` of that zone. */
  readonly startTime: string;
  readonly durationMinutes: number;
  /** The first and the last day (`YYYY-MM-DD`) on which it may begin; null = without end. */
  readonly from: string;
  readonly until: string | null;
}

export const REPEAT_PERIODS = ['day', 'week', 'month'] as const;
export type RepeatPeriod = (typeof REPEAT_PERIODS)[number];

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export const INCIDENT_SEVERITIES = ['minor', 'major', 'critical', 'maintenance'] as const;
export type IncidentSeverity = (typeof INCIDENT_SEVERITIES)[number];

export const INCIDENT_STATUSES = ['investigating', 'identified', 'monitoring', 'resolved'] as const;
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number];
