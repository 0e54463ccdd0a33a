import type { BeforeValues, Event, LastValues } from './event';

export type ReportEvent = ReportCreated | ReportUpdated | ReportDeleted;

export type ReportCreated = Event<'ReportCreated', ReportDetails & { reportId: string }>;
type ReportUpdated = Event<'ReportUpdated', ReportDetails & { reportId: string } & BeforeValues<ReportSettings>>;
type ReportDeleted = Event<'ReportDeleted', ReportSubject & { reportId: string } & LastValues<ReportSettings>>;

/** Fixed for ever. */
interface ReportSubject {
  readonly organizationId: string;
}

export type ReportDetails = ReportSubject & ReportSettings;

/** The settings of a report that may change. */
export interface ReportSettings {
  /** Unique in its organization. */
  readonly name: string;
  /** The websites that it is about; null = all of the organization. */
  readonly websiteIds: readonly string[] | null;
  readonly period: ReportPeriod;
  /** IANA name; its days are those of the report for every website. */
  readonly timezone: string;
  /** Where it is sent. */
  readonly destinationIds: readonly string[];
  readonly enabled: boolean;
  /** The person who created or changed it last, with whose right it is sent. */
  readonly ownerId: string;
}

export const REPORT_PERIODS = ['week', 'month'] as const;
/** Weeks begin on Monday. */
export type ReportPeriod = (typeof REPORT_PERIODS)[number];
