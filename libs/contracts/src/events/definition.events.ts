import type { FunnelDefinition, GoalDefinition, SegmentDefinition } from '../definitions';
import type { Before, Event, Last } from './event';

export type GoalEvent = GoalCreated | GoalUpdated | GoalDeleted;

export type GoalCreated = Event<'GoalCreated', GoalDetails & { goalId: string }>;
export type GoalUpdated = Event<'GoalUpdated', GoalDetails & { goalId: string } & Before<GoalSettings>>;
export type GoalDeleted = Event<'GoalDeleted', OfWebsite & { goalId: string; name: string } & Last<GoalSettings>>;

export type FunnelEvent = FunnelCreated | FunnelUpdated | FunnelDeleted;

export type FunnelCreated = Event<'FunnelCreated', FunnelDetails & { funnelId: string }>;
export type FunnelUpdated = Event<'FunnelUpdated', FunnelDetails & { funnelId: string } & Before<FunnelSettings>>;
export type FunnelDeleted = Event<
  'FunnelDeleted',
  OfWebsite & { funnelId: string; name: string } & Last<FunnelSettings>
>;

export type SegmentEvent = SegmentCreated | SegmentUpdated | SegmentDeleted;

export type SegmentCreated = Event<'SegmentCreated', SegmentDetails & { segmentId: string }>;
export type SegmentUpdated = Event<'SegmentUpdated', SegmentDetails & { segmentId: string } & Before<SegmentSettings>>;
export type SegmentDeleted = Event<
  'SegmentDeleted',
  OfWebsites & { segmentId: string; name: string } & Last<SegmentSettings>
>;

/** Fixed for ever. */
interface OfWebsite {
  readonly organizationId: string;
  readonly websiteId: string;
}

/** Fixed for ever; null = for all websites of the organization. */
interface OfWebsites {
  readonly organizationId: string;
  readonly websiteId: string | null;
}

interface Named {
  /** Unique in its website or, without one, in the organization. */
  readonly name: string;
}

export type GoalDetails = OfWebsite & GoalSettings;
export type FunnelDetails = OfWebsite & FunnelSettings;
export type SegmentDetails = OfWebsites & SegmentSettings;

/** What may change. */
export type GoalSettings = Named & Required<GoalDefinition>;
export type FunnelSettings = Named & Required<FunnelDefinition>;
export type SegmentSettings = Named & SegmentDefinition;
