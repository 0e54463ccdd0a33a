import type { Filter } from '../definitions';
import type { BeforeValues, Event, LastValues } from './event';

export type ShareEvent = ShareCreated | ShareUpdated | ShareDeleted;

export type ShareCreated = Event<'ShareCreated', ShareDetails & { shareId: string }>;
export type ShareUpdated = Event<'ShareUpdated', ShareDetails & { shareId: string } & BeforeValues<ShareSettings>>;
export type ShareDeleted = Event<
  'ShareDeleted',
  SharedWebsite & { shareId: string; name: string } & LastValues<Omit<ShareSettings, 'passwordHash'>>
>;

/** The website that is shared; fixed for ever. */
interface SharedWebsite {
  readonly organizationId: string;
  readonly websiteId: string;
}

export type ShareDetails = SharedWebsite & ShareSettings;

/** The settings of a share that may change. */
export interface ShareSettings {
  /** Whom it is for; they see it. */
  readonly name: string;
  /** In the order of the dashboard. */
  readonly panels: readonly DashboardPanel[];
  /** Filters that those who have the address cannot remove. */
  readonly filters: readonly Filter[];
  /** ISO 8601 UTC; null = never. */
  readonly expiresAt: string | null;
  /** A slow hash of the keyed hash of the password: the events alone do not let it be guessed; null = none. */
  readonly passwordHash: string | null;
}

/** The lists of a dashboard, which are the first rows of the report with the same name. */
export const DASHBOARD_PANELS = ['pages', 'sources', 'places', 'devices', 'events', 'outgoing'] as const;
export type DashboardPanel = (typeof DASHBOARD_PANELS)[number];

/** As a server reads them, and as the router of the console does. */
const NOT_EMBEDDING: readonly unknown[] = ['false', '0', false, 0];

/** Returns whether the parameter `embed` in the address of a share asks for a part of another page. */
export const isEmbedding = (embed: unknown): boolean => embed !== undefined && !NOT_EMBEDDING.includes(embed);
