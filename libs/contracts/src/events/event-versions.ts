import { type EventOf, type RecordKindName, RECORD_EVENTS } from '../record-kinds';
import type { AuditLogEvent, ErasureEvent } from './audit-log.events';
import type { SlugReserved } from './link.events';
import type { ObservedEvent } from './observed-events';
import type { StatusSlugReserved } from './status-page.events';
import { type Upcaster, withFieldDefaults } from './upcasters';

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

  /**
   * Returns what makes the data of a version into that of the current one; undefined for an unknown type, or a later
   * version.
   */
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

/** Adds the host, which was recorded of page views and leaves alone. */
const withoutHost = withFieldDefaults({ host: null });

/** Every type in the event store that is about no record; one that is not listed does not compile. */
const OTHERS: Catalogue<Exclude<DecidedEvent, RecordEvent>['type'] | 'IntakeHeadsSigned'> = {
  SlugReserved: [],
  StatusSlugReserved: [],
  AuditLogExported: [],
  PersonExported: [],
  DestinationTested: [],
  DeliveriesRetried: [],
  AuditLogResealed: [],
  RebuildAccepted: [],
  SubjectErased: [unchanged], // no visitor without a profile was erased before
  ErasureExtended: [],
  HitsExpired: [],
  HitsRewritten: [],
  IntakeHeadsSigned: [],
};

/** Every type in the intake log; one that is not listed does not compile. */
const OBSERVED: Catalogue<ObservedEvent['type']> = {
  PageViewed: [unchanged], // no click led to earlier ones
  PageLeft: [],
  CustomEventTracked: [withoutHost],
  OutgoingLinkClicked: [withFieldDefaults({ linkKind: 'link' }), withFieldDefaults({ own: false }), withoutHost],
  LinkClicked: [],
  VitalMeasured: [withoutHost],
  ErrorRecorded: [withoutHost],
  EngagementMeasured: [withoutHost],
  VisitorIdentified: [],
  HitJudgedBot: [],
  MonitorChecked: [
    withFieldDefaults({ resumed: false, warning: null, detail: null, certificateExpiresAt: null }),
    unchanged,
  ],
  ReportReady: [],
  AlertDecided: [],
};

export const decidedVersions = new EventVersions({
  ...Object.fromEntries([...RECORD_EVENTS].map(([type, { upcasters = [] }]) => [type, upcasters])),
  ...OTHERS,
});
export const observedVersions = new EventVersions(OBSERVED);

/** All that is about a record. */
export type RecordEvent = EventOf<RecordKindName>;

/** Everything the event store holds. */
export type DecidedEvent = RecordEvent | SlugReserved | StatusSlugReserved | AuditLogEvent | ErasureEvent;

/** A decided event as it was recorded. */
export type Recorded<Decided extends DecidedEvent = DecidedEvent> = Decided & {
  /** From 0 in each stream. */
  readonly revision: number;
  readonly recordedAt: Date;
};
