import type { BeforeValues, Event, LastValues } from './event';

export type TagEvent = TagCreated | TagUpdated | TagDeleted;

export type TagCreated = Event<'TagCreated', TagDetails & { tagId: string }>;
type TagUpdated = Event<'TagUpdated', TagDetails & { tagId: string } & BeforeValues<TagSettings>>;
type TagDeleted = Event<
  'TagDeleted',
  { organizationId: string; tagId: string; name: string } & LastValues<TagSettings>
>;

export type TagDetails = TagSettings & { readonly organizationId: string };

/** The settings of a tag that may change. */
export interface TagSettings {
  /** Unique in its organization. */
  readonly name: string;
  readonly color: TagColor;
}

export const TAG_COLORS = ['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink'] as const;
export type TagColor = (typeof TAG_COLORS)[number];

/** The number of tags that a link has at most. */
export const MAX_LINK_TAGS = 20;
export const MAX_TAG_NAME = 50;
