import type { FunnelDefinition, GoalDefinition, SegmentDefinition } from '../definitions';
import type { BeforeValues, Event, LastValues } from './event';

export type GoalEvent = GoalCreated | GoalUpdated | GoalDeleted;

export type GoalCreated = Event<'GoalCreated', GoalDetails & { goalId: string }>;
type GoalUpdated = Event<'GoalUpdated', GoalDetails & { goalId: string } & BeforeValues<GoalSettings>>;
type GoalDeleted = Event<'GoalDeleted', OfWebsite & { goalId: string; name: string } & LastValues<GoalSettings>>;

export type FunnelEvent = FunnelCreated | FunnelUpdated | FunnelDeleted;

export type FunnelCreated = Event<'FunnelCreated', FunnelDetails & { funnelId: string }>;
type FunnelUpdated = Event<'FunnelUpdated', FunnelDetails & { funnelId: string } & BeforeValues<FunnelSettings>>;
type FunnelDeleted = Event<
  'FunnelDeleted',
  OfWebsite & { funnelId: string; name: string } & LastValues<FunnelSettings>
>;

export type SegmentEvent = SegmentCreated | SegmentUpdated | SegmentDeleted;

export type SegmentCreated = Event<'SegmentCreated', SegmentDetails & { segmentId: string }>;
type SegmentUpdated = Event<'SegmentUpdated', SegmentDetails & { segmentId: string } & BeforeValues<SegmentSettings>>;
type SegmentDeleted = Event<
  'SegmentDeleted',
  OfWebsites & { segmentId: string; name: string } & LastValues<SegmentSettings>
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

/** The settings of a goal that may change. */
export type GoalSettings = Named & Required<GoalDefinition>;
export type FunnelSettings = Named & Required<FunnelDefinition>;
export type SegmentSettings = Named & SegmentDefinition;

export type AnnotationEvent = AnnotationCreated | AnnotationUpdated | AnnotationDeleted;

export type AnnotationCreated = Event<'AnnotationCreated', AnnotationDetails & { annotationId: string }>;
type AnnotationUpdated = Event<
  'AnnotationUpdated',
  AnnotationDetails & { annotationId: string } & BeforeValues<AnnotationSettings>
>;
type AnnotationDeleted = Event<
  'AnnotationDeleted',
  AnnotationSubject & { annotationId: string; text: string } & LastValues<AnnotationSettings>
>;

/** The subject of an annotation, fixed for ever: a website, a link, or with neither everything of the organization. */
interface AnnotationSubject {
  readonly organizationId: string;
  readonly websiteId: string | null;
  readonly linkId: string | null;
}

export type AnnotationDetails = AnnotationSubject & AnnotationSettings;

/** The settings of an annotation that may change. */
export interface AnnotationSettings {
  readonly text: string;
  /** Null = what people write. */
  readonly kind: AnnotationKind | null;
  /** ISO 8601: when it happened; of something that lasted null, with `from` and `to` instead. */
  readonly at: string | null;
  readonly from: string | null;
  /** After `from`. */
  readonly to: string | null;
}

export const ANNOTATION_KINDS = ['deploy'] as const;
export type AnnotationKind = (typeof ANNOTATION_KINDS)[number];

/** In characters. */
export const MAX_ANNOTATION_TEXT = 500;
