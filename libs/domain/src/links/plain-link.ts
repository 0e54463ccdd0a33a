import type { LinkDetails } from '@ledgerline/contracts/events/link.events';

/** A link that has nothing but what every link must have. */
export const plainLink = {
  externalId: null,
  expiresAt: null,
  expiredRedirectUrl: null,
  iosUrl: null,
  androidUrl: null,
  ogTitle: null,
  ogDescription: null,
  ogImageUrl: null,
  forwardQuery: true,
} as const satisfies Omit<LinkDetails, 'organizationId' | 'slug' | 'name' | 'targetUrl'>;
