import type { BeforeValues, Event, LastValues } from './event';

export type LinkEvent = LinkCreated | LinkUpdated | LinkDeleted;

export type LinkCreated = Event<'LinkCreated', LinkDetails & { linkId: string; createdBy: string }>;
export type LinkUpdated = Event<'LinkUpdated', LinkDetails & { linkId: string } & BeforeValues<LinkSettings>>;
export type LinkDeleted = Event<
  'LinkDeleted',
  { linkId: string; organizationId: string; slug: string; name: string } & LastValues<LinkSettings>
>;

export interface LinkDetails {
  readonly organizationId: string;
  /** 1–50 of `[A-Za-z0-9_-]`, unique over all organizations. */
  readonly slug: string;
  readonly name: string;
  readonly targetUrl: string;
  readonly externalId: string | null;
  /** ISO 8601 UTC. */
  readonly expiresAt: string | null;
  readonly expiredRedirectUrl: string | null;
  readonly iosUrl: string | null;
  readonly androidUrl: string | null;
  readonly ogTitle: string | null;
  readonly ogDescription: string | null;
  readonly ogImageUrl: string | null;
  /**
   * True if parameters of the short address pass to the target. Rows of links made before there was a choice lack it:
   * they do.
   */
  readonly forwardQuery?: boolean;
  /**
   * True if a redirect to an own website names its click in the address. Rows of links made before there was a choice
   * lack it: it does.
   */
  readonly trackVisits?: boolean;
  /** Some of them may be deleted. Rows of links made before there were tags lack it. */
  readonly tagIds?: readonly string[];
}

/** The settings of a link that may change. */
export type LinkSettings = Omit<LinkDetails, 'organizationId'>;

/** The only event of `global-slug-<slug>`: the first append reserves the slug. */
export type SlugReserved = Event<'SlugReserved', { slug: string; linkId: string; organizationId: string }>;
