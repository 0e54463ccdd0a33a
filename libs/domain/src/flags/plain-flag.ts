import type { FlagDetails } from '@ledgerline/contracts/events/flag.events';

/** What a flag has by default: off for all. */
export const plainFlag = {
  description: null,
  type: 'boolean',
  status: 'active',
  defaultValue: false,
  payload: null,
  environment: null,
  environments: [],
  rollout: null,
  variants: [],
  variantRanges: null,
  rules: [],
} as const satisfies Omit<FlagDetails, 'organizationId' | 'websiteId' | 'key' | 'name' | 'ruleValues'>;
