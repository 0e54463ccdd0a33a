import type { Before, Event, Last } from './event';

export type AnnotationEvent = AnnotationCreated | AnnotationUpdated | AnnotationDeleted;

export type AnnotationCreated = Event<'AnnotationCreated', AnnotationDetails & { annotationId: string }>;
export type AnnotationUpdated = Event<
  'AnnotationUpdated',
  AnnotationDetails & { annotationId: string } & Before<AnnotationSettings>
>;
export type AnnotationDeleted = Event<
  'AnnotationDeleted',
  AnnotationSubject & { annotationId: string; text: string } & Last<AnnotationSettings>
>;

/** What it is about, fixed for ever: a website, a link, or with neither everything of the organization. */
export interface AnnotationSubject {
  readonly organizationId: string;
  readonly websiteId: string | null;
  readonly linkId: string | null;
}

export type AnnotationDetails = AnnotationSubject & AnnotationSettings;

/** What may change. */
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

/** Of a text, in characters, and how many a website, a link or else the organization may have. */
export const MAX_ANNOTATION_TEXT = 500;
export const MAX_ANNOTATIONS = 5_000;
