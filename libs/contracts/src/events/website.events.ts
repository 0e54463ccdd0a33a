import type { Event } from './event';

export type WebsiteEvent = WebsiteRegistered;

export type WebsiteRegistered = Event<'WebsiteRegistered', WebsiteDetails & { websiteId: string }>;

export interface WebsiteDetails {
  readonly organizationId: string;
  readonly name: string;
  /** Host name without scheme or port, lower case: `example.com`. */
  readonly domain: string;
  readonly isPublic: boolean;
  /** Further origins that may send hits, as host names; subdomains of `domain` always may. */
  readonly allowedOrigins: readonly string[];
  /** IANA name; days of the website's rollups are days of this zone. Fixed for ever. */
  readonly timezone: string;
  readonly visitorIdentity: VisitorIdentity;
}

/** How long one person keeps one visitor id. */
export type VisitorIdentity = 'daily' | 'monthly' | 'stable';
