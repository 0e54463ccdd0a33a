import type { Before, Event, Last } from './event';

export type WebsiteEvent = WebsiteRegistered | WebsiteUpdated | WebsiteDeleted;

export type WebsiteRegistered = Event<'WebsiteRegistered', WebsiteDetails & { websiteId: string }>;
export type WebsiteUpdated = Event<'WebsiteUpdated', WebsiteDetails & { websiteId: string } & Before<WebsiteSettings>>;
export type WebsiteDeleted = Event<
  'WebsiteDeleted',
  { websiteId: string; organizationId: string; name: string } & Last<WebsiteDetails>
>;

export interface WebsiteDetails extends WebsiteSettings {
  readonly organizationId: string;
  /** IANA name; days of the website's rollups are days of this zone. Fixed for ever. */
  readonly timezone: string;
}

/** What may change. */
interface WebsiteSettings {
  readonly name: string;
  /** Host name without scheme or port, lower case: `example.com`. */
  readonly domain: string;
  readonly isPublic: boolean;
  /** Further origins that may send hits, as host names; subdomains of `domain` always may. */
  readonly allowedOrigins: readonly string[];
  readonly visitorIdentity: VisitorIdentity;
  /** Days for which hits are kept; null = for ever. */
  readonly retentionDays: number | null;
}

/** How long one person keeps one visitor id. */
export type VisitorIdentity = 'daily' | 'monthly' | 'stable';
