import type { FlagDetails } from '@ledgerline/contracts/events/flag.events';

/** A flag that has nothing but what every flag must have: off for all. */
export const plainFlag = {
  description: null,
  type: 'boolean',
  status: 'active',
  defaultValue: false,
  payload: null,
  environment: null,
  rollout: null,
  variants: [],
  rules: [],
  ruleValues: null,
} as const satisfies Omit<FlagDetails, 'organizationId' | 'websiteId' | 'key' | 'name'>;
