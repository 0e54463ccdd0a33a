import type { ApiKeyDetails } from '@ledgerline/contracts/events/api-key.events';

/** A key that has nothing but what every key must have: it reaches everything, and never expires. */
export const plainKey = {
  description: null,
  resources: null,
  tags: [],
  rateLimit: null,
  expiresAt: null,
} as const satisfies Omit<ApiKeyDetails, 'organizationId' | 'name' | 'scopes'>;
