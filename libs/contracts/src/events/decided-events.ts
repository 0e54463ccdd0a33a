import type { AnnotationEvent } from './annotation.events';
import type { ApiKeyEvent } from './api-key.events';
import type { AuditLogEvent } from './audit-log.events';
import type { FunnelEvent, GoalEvent, SegmentEvent } from './definition.events';
import type { ErasureEvent } from './erasure.events';
import type { FlagEvent } from './flag.events';
import type { IncidentEvent } from './incident.events';
import type { LinkEvent, SlugReserved } from './link.events';
import type { MonitorEvent } from './monitor.events';
import type { OAuthGrantEvent } from './oauth-grant.events';
import type { OrganizationEvent } from './organization.events';
import type { ShareEvent } from './share.events';
import type { StatusPageEvent, StatusSlugReserved } from './status-page.events';
import type { WebsiteEvent } from './website.events';

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
