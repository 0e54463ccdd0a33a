/** What every link question may be filtered by. */
export const LINK_FILTERS = ['referrer', 'country', 'region', 'city', 'device_type', 'browser_name'] as const;
