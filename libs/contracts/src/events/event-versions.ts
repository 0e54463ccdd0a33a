import type { Json, JsonObject } from '../json';
import type { ObservedEvent } from './observed-events';
import type { AnnotationEvent, FunnelEvent, GoalEvent, SegmentEvent } from './definition.events';
import type { ApiKeyEvent, OAuthGrantEvent } from './api-key.events';
import type { AuditLogEvent, ErasureEvent } from './audit-log.events';
import type { FlagEvent } from './flag.events';
import type { IncidentEvent, StatusPageEvent, StatusSlugReserved } from './status-page.events';
import type { LinkEvent, SlugReserved } from './link.events';
import type { MonitorEvent } from './monitor.events';
import type { OrganizationEvent, WebsiteEvent } from './organization.events';
import type { ShareEvent } from './share.events';

/** Makes the data of one version of an event into that of the next. Pure, and never changed once events were read with it. */
export type Upcaster = (data: JsonObject) => JsonObject;

/** The types of a log, with the version that this program writes of each and what makes earlier ones into it. */
export class EventVersions {
  /** By type, the upcasters from version 1 on: the current version is one more than there are. */
  constructor(private readonly upcasters: Readonly<Record<string, readonly Upcaster[]>>) {}

  get types(): readonly string[] {
    return Object.keys(this.upcasters);
  }

  isKnown(type: string): boolean {
    return Object.hasOwn(this.upcasters, type);
  }

  /** The version of what this program writes; 1 also for a type that it does not know. */
  current(type: string): number {
    return this.of(type).length + 1;
  }

  /** What makes the data of a version into that of the current one; undefined for an unknown type, or a later version. */
  upcaster(type: string, version: number): Upcaster | undefined {
    const current = this.current(type);
    if (version === current) return this.isKnown(type) ? unchanged : undefined;
    if (!Number.isInteger(version) || version < 1 || version > current) return undefined;
    const steps = this.of(type).slice(version - 1);
    return (data) => steps.reduce((earlier, step) => step(earlier), data);
  }

  private of(type: string): readonly Upcaster[] {
    return (this.isKnown(type) ? this.upcasters[type] : undefined) ?? [];
  }
}

const unchanged: Upcaster = (data) => data;

type Catalogue<Type extends string> = { readonly [Each in Type]: readonly Upcaster[] };

/** Fields that have a fixed value where they are absent. */
const withDefaults =
  (defaults: Readonly<Record<string, Json>>): Upcaster =>
  (data) => ({ ...defaults, ...data });

/** Without a number of days, hits are kept for ever. */
const withRetention = withDefaults({ retentionDays: null });

/** Of other events than page views and leaves the host was not recorded. */
const withoutHost = withDefaults({ host: null });

/** Links forwarded parameters before there was a choice. */
const withForwardQuery = withDefaults({ forwardQuery: true });

/** Redirects to own websites name their click, unless a link says otherwise. */
const withTrackVisits = withDefaults({ trackVisits: true });

/** Status pages showed times in UTC. */
const withTimezone = withDefaults({ timezone: 'UTC' });

/** Monitors before they had these options. */
const withMonitorOptions = withDefaults({
  unwantedText: null,
  slowAfterMs: null,
  certificateDays: null,
  ignoreTlsErrors: false,
  body: null,
});

/** Maintenances took place once. */
const withRepeat = withDefaults({ repeat: null, repeatSetAt: null });

/** Flags had one state in all environments, and a range for each variant in its place. */
const withFlagStates = withDefaults({ environments: [], variantRanges: null });

/** Every type in the event store; one that is not listed does not compile. */
const DECIDED: Catalogue<DecidedEvent['type'] | 'IntakeHeadsSigned'> = {
  OrganizationCreated: [],
  OrganizationUpdated: [],
  OrganizationDeleted: [],
  MemberInvited: [],
  InvitationRevoked: [],
  MemberAdded: [],
  MemberRoleChanged: [],
  MemberRemoved: [],
  MemberLeft: [],
  WebsiteRegistered: [withRetention],
  WebsiteUpdated: [withRetention],
  WebsiteDeleted: [],
  SlugReserved: [],
  LinkCreated: [withForwardQuery, withTrackVisits],
  LinkUpdated: [withForwardQuery, withTrackVisits],
  LinkDeleted: [withForwardQuery, withTrackVisits],
  FlagCreated: [withFlagStates],
  FlagUpdated: [withFlagStates],
  FlagDeleted: [unchanged],
  GoalCreated: [],
  GoalUpdated: [],
  GoalDeleted: [],
  FunnelCreated: [],
  FunnelUpdated: [],
  FunnelDeleted: [],
  SegmentCreated: [],
  SegmentUpdated: [],
  SegmentDeleted: [],
  AnnotationCreated: [],
  AnnotationUpdated: [],
  AnnotationDeleted: [],
  MonitorCreated: [withMonitorOptions],
  MonitorUpdated: [withMonitorOptions],
  MonitorDeleted: [unchanged],
  StatusPageCreated: [withTimezone],
  StatusPageUpdated: [withTimezone],
  StatusPageDeleted: [unchanged],
  StatusSlugReserved: [],
  IncidentCreated: [withRepeat],
  IncidentUpdated: [withRepeat],
  IncidentDeleted: [],
  ShareCreated: [],
  ShareUpdated: [],
  ShareDeleted: [],
  ApiKeyCreated: [],
  ApiKeyUpdated: [],
  ApiKeyRotated: [],
  ApiKeyRevoked: [],
  ApiKeyDeleted: [],
  OAuthGrantCreated: [],
  OAuthGrantRevoked: [],
  AuditLogExported: [],
  AuditLogResealed: [],
  RebuildAccepted: [],
  SubjectErased: [],
  IntakeHeadsSigned: [],
};

/** Every type in the intake log; one that is not listed does not compile. */
const OBSERVED: Catalogue<ObservedEvent['type']> = {
  PageViewed: [unchanged], // no click led to earlier ones
  PageLeft: [],
  CustomEventTracked: [withoutHost],
  OutgoingLinkClicked: [withDefaults({ linkKind: 'link' }), withDefaults({ own: false }), withoutHost],
  LinkClicked: [],
  VitalMeasured: [withoutHost],
  ErrorRecorded: [withoutHost],
  EngagementMeasured: [withoutHost],
  VisitorIdentified: [],
  HitJudgedBot: [],
  MonitorChecked: [withDefaults({ resumed: false, warning: null, detail: null, certificateExpiresAt: null })],
};

export const decidedVersions = new EventVersions(DECIDED);
export const observedVersions = new EventVersions(OBSERVED);

/** Everything the event store holds. */
export type DecidedEvent =
  | OrganizationEvent
  | WebsiteEvent
  | LinkEvent
  | SlugReserved
  | FlagEvent
  | GoalEvent
  | FunnelEvent
  | SegmentEvent
  | AnnotationEvent
  | MonitorEvent
  | StatusPageEvent
  | StatusSlugReserved
  | IncidentEvent
  | ShareEvent
  | ApiKeyEvent
  | OAuthGrantEvent
  | AuditLogEvent
  | ErasureEvent;

/** A decided event as it was recorded. */
export type Recorded<Decided extends DecidedEvent = DecidedEvent> = Decided & {
  /** From 0 in each stream. */
  readonly revision: number;
  readonly recordedAt: Date;
};
