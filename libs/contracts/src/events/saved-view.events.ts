import type { Filter } from '../definitions';
import type { BeforeValues, Event, LastValues } from './event';

export type SavedViewEvent = SavedViewCreated | SavedViewUpdated | SavedViewDeleted;

export type SavedViewCreated = Event<'SavedViewCreated', SavedViewDetails & { savedViewId: string }>;
type SavedViewUpdated = Event<
  'SavedViewUpdated',
  SavedViewDetails & { savedViewId: string } & BeforeValues<SavedViewSettings>
>;
type SavedViewDeleted = Event<
  'SavedViewDeleted',
  SavedViewSubject & { savedViewId: string } & LastValues<SavedViewSettings>
>;

/** The part of a saved view that never changes after its creation. */
interface SavedViewSubject {
  readonly organizationId: string;
  readonly websiteId: string;
  /** The person who alone sees the content of a private view; null = all who may see the website see it. */
  readonly ownerId: string | null;
}

export type SavedViewDetails = SavedViewSubject & SavedViewSettings;

/** The content of a page of a website: its own default where a field is null. */
export interface ViewContent {
  /** A range: one that has a name, or both days (`YYYY-MM-DD`, inclusive). */
  readonly preset: string | null;
  readonly startDate: string | null;
  readonly endDate: string | null;
  readonly compare: SavedComparison | null;
  readonly filters: readonly Filter[];
  /** Ids of a segment and of a goal. */
  readonly segment: string | null;
  readonly goal: string | null;
}

/** The settings of a saved view that may change. */
export interface SavedViewSettings extends Omit<ViewContent, 'filters'> {
  /** Unique among those of its website that are not private. Null of a private one, as everything else is. */
  readonly name: string | null;
  readonly filters: ViewContent['filters'] | null;
  /** Name and content of a private one, encrypted. */
  readonly sealed: string | null;
}

/** With what the range is compared; `none`: with nothing, whatever the page does by default. */
export const SAVED_COMPARISONS = ['previous_period', 'previous_year', 'none'] as const;
export type SavedComparison = (typeof SAVED_COMPARISONS)[number];
