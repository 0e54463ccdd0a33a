import type { Before, Event, Last } from './event';

export type StatusPageEvent = StatusPageCreated | StatusPageUpdated | StatusPageDeleted;

export type StatusPageCreated = Event<'StatusPageCreated', StatusPageDetails & { statusPageId: string }>;
export type StatusPageUpdated = Event<
  'StatusPageUpdated',
  StatusPageDetails & { statusPageId: string } & Before<StatusPageSettings>
>;
export type StatusPageDeleted = Event<
  'StatusPageDeleted',
  StatusPageAddress & { statusPageId: string; name: string } & Last<StatusPageSettings>
>;

/** The first event of a slug's stream: the slug belongs to the organization for ever. */
export type StatusSlugReserved = Event<'StatusSlugReserved', { slug: string; organizationId: string }>;

/** Where a page is found; fixed for ever. */
export interface StatusPageAddress {
  readonly organizationId: string;
  /** 3–50 of `[a-z0-9-]`, unique over all organizations. */
  readonly slug: string;
}

export type StatusPageDetails = StatusPageAddress & StatusPageSettings;

/** What may change. */
export interface StatusPageSettings {
  readonly name: string;
  readonly description: string | null;
  /** In the order in which they are shown. */
  readonly monitorIds: readonly string[];
  /** A page that is not public is found by nobody. */
  readonly isPublic: boolean;
  /** IANA; of the times that it shows. */
  readonly timezone: string;
}
