/** What every website question may be filtered by. */
export const WEBSITE_FILTERS = [
  'path',
  'query_string',
  'country',
  'region',
  'city',
  'timezone',
  'language',
  'device_type',
  'browser_name',
  'os_name',
  'referrer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
] as const;
