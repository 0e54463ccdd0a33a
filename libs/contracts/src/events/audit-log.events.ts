import type { Event } from './event';

export type AuditLogEvent = AuditLogExported;

/** Recorded before the first byte is sent. */
export type AuditLogExported = Event<
  'AuditLogExported',
  {
    readonly organizationId: string;
    readonly exportId: string;
    readonly format: AuditExportFormat;
    /** Only what was asked for; empty = everything. */
    readonly filter: AuditFilter;
  }
>;

export const AUDIT_EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type AuditExportFormat = (typeof AUDIT_EXPORT_FORMATS)[number];

/** Which entries of the audit log are wanted; all conditions hold at once. */
export interface AuditFilter {
  readonly action?: string;
  readonly actorId?: string;
  readonly targetType?: string;
  readonly targetId?: string;
  /** ISO 8601 UTC; this time is included. */
  readonly from?: string;
  /** ISO 8601 UTC; this time is not included. */
  readonly to?: string;
}
