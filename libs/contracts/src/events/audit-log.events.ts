import type { Event } from './event';

export type AuditLogEvent =
  | AuditLogExported
  | PersonExported
  | DestinationTested
  | DeliveriesRetried
  | AuditLogResealed
  | RebuildAccepted;

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

/** Everything that is held about a visitor was read; whose it is stays out of the log. Recorded before the first byte is sent. */
export type PersonExported = Event<
  'PersonExported',
  { readonly organizationId: string; readonly exportId: string; readonly websiteId: string }
>;

/** A test message was sent. */
export type DestinationTested = Event<'DestinationTested', DestinationUse>;

/** Messages were asked for again: those with these numbers, or all that were set aside (null). */
export type DeliveriesRetried = Event<
  'DeliveriesRetried',
  DestinationUse & {
    readonly deliveryIds: readonly string[] | null;
    readonly from: number | null;
    readonly to: number | null;
  }
>;

interface DestinationUse {
  readonly organizationId: string;
  readonly destinationId: string;
  readonly useId: string;
}

/** An operator decided that a history which is not what was sealed is sealed as it is now, itself included. */
export type AuditLogResealed = Event<
  'AuditLogResealed',
  {
    readonly organizationId: string;
    readonly resealId: string;
    readonly reason: string;
    /** The newest head that was sealed before; null where none was. */
    readonly lost: { readonly revision: number; readonly hash: string } | null;
  }
>;

/** An operator decided that figures which differ from a rebuild from the log are replaced by it. */
export type RebuildAccepted = Event<
  'RebuildAccepted',
  {
    readonly organizationId: string;
    readonly acceptanceId: string;
    /** The group of tables. */
    readonly group: string;
    /** The number of rows only the replaced tables had, and only the rebuilt ones have; of the whole installation. */
    readonly tables: readonly { readonly table: string; readonly onlyBefore: number; readonly onlyAfter: number }[];
  }
>;

export const AUDIT_EXPORT_FORMATS = ['ndjson', 'csv'] as const;
export type AuditExportFormat = (typeof AUDIT_EXPORT_FORMATS)[number];

/** A filter of the audit log; all conditions hold at once. */
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

export type ErasureEvent = SubjectErased | ErasureExtended | HitsExpired | HitsRewritten;

/** The keys are destroyed: personal data that was encrypted with them cannot be read any more. */
export type SubjectErased = Event<
  'SubjectErased',
  {
    readonly organizationId: string;
    readonly erasureId: string;
    readonly subject: ErasedSubject;
    /** As the sealed parts of events name them. */
    readonly destroyedKeyIds: readonly string[];
  }
>;

/** Extends an erasure by what the log has shown, perhaps late, of its subject. */
export type ErasureExtended = Event<
  'ErasureExtended',
  {
    readonly organizationId: string;
    readonly erasureId: string;
    readonly websiteId: string;
    /** ISO 8601 UTC: the moment of the erasure. */
    readonly until: string;
    /** Their ids in the log, 32 hex digits each. */
    readonly visitors: readonly string[];
    /** The sessions of visits without a visitor. */
    readonly sessions: readonly string[];
    /** The clicks that led to what is erased. */
    readonly clicks: readonly ErasedClick[];
  }
>;

/**
 * Records that the hits of a website before a day are older than its retention: read models have only rollups of them.
 */
export type HitsExpired = Event<
  'HitsExpired',
  {
    readonly organizationId: string;
    readonly erasureId: string;
    readonly websiteId: string;
    /** The first day that is kept, in the zone of the website: `2026-11-30`. */
    readonly before: string;
    /** ISO 8601 UTC: when that day began. */
    readonly until: string;
  }
>;

type ErasedClick = {
  readonly linkId: string;
  /** The id of the click's event. */
  readonly id: string;
};

export type ErasedSubject = ErasedPerson | ErasedInvitation | ErasedProfile | ErasedVisitor;

export interface ErasedPerson {
  readonly userId: string;
}

/** The invited person, with or without an account. */
export interface ErasedInvitation {
  readonly invitationId: string;
}

/** The profile of a visitor: the id and traits sent to `/identify`. `profile` is the profile's random name in the log, as its id may be an address. */
export interface ErasedProfile {
  readonly websiteId: string;
  readonly profile: string;
}

/** A visitor under every id that could be found for them. */
export interface ErasedVisitor {
  readonly websiteId: string;
  /** As the log has them, 32 hex digits each. */
  readonly visitors: readonly string[];
  /** The days (`2026-11-30`), months (`2026-11`) or `stable` whose ids were found by the anonymous id; absent = an id was given. */
  readonly reached?: readonly string[];
}

/** Payloads of the intake log were written anew without hits that are erased; the receipt of each rewrite. */
export type HitsRewritten = Event<
  'HitsRewritten',
  {
    readonly organizationId: string;
    readonly erasureId: string;
    /** The epoch of the intake log. */
    readonly epoch: string;
    readonly payloads: readonly RewrittenPayload[];
    /** The number of hits that were taken out. */
    readonly hits: number;
    /** So many rules of the erasure are carried out now in the whole log; null = more payloads follow. */
    readonly rules: number | null;
  }
>;

type RewrittenPayload = {
  readonly partition: number;
  /** The offset of the first event of the segment. */
  readonly offset: number;
  /** SHA-256 of the payload, in hex. */
  readonly before: string;
  readonly after: string;
  /** Unpacked, bytes. */
  readonly size: number;
};
