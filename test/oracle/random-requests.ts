import fc from 'fast-check';
import { COUNTRY_NAMES } from './naive-attributes';
import type { NaiveFieldFilter, NaiveFilter } from './naive-request';
import { PATHS } from './random-traffic';

const LINK_FIELDS: readonly (readonly [string, readonly string[]])[] = [
  [
    'referrer',
    ['google.com', 'Google', 'https://www.google.de/', 'Google.com', 'X', 'news.example.org', 'Direct', 'direct', ''],
  ],
  ['country', [...Object.keys(COUNTRY_NAMES), 'germany', 'Unknown']],
  ['region', ['North', 'South']],
  ['city', ['Paris', 'Springfield', 'Unknown']],
  ['device_type', ['desktop', 'Mobile']],
  ['browser_name', ['chrome', 'Firefox']],
];

const FIELDS: readonly (readonly [string, readonly string[]])[] = [
  ...LINK_FIELDS,
  ['path', [...PATHS, '/größe', '/gr%c3%b6%C3%9F%65', 'öß', '/a/']],
  ['query_string', ['q=1']],
  ['hostname', ['own.example', 'www.own.example', 'own', 'OWN.example.', 'WWW', '']],
  ['entry_page', [...PATHS, '/größe']],
  ['exit_page', [...PATHS, '/a/']],
  ['event', ['signup', 'purchase', 'sign', '']],
  ['os_name', ['linux', 'iOS', 'unknown']],
  ['utm_source', ['x', 'y', 'Y']],
  ['channel', ['Direct', 'Other', 'Referral', 'Paid search', 'Organic social', 'Email', 'Organic', 'direct', '']],
  ['utm_campaign', ['x', 'Y']],
  ['language', ['en-US', 'de', 'EN_us']],
  ['timezone', ['Europe/Berlin', 'europe/BERLIN']],
];

const METRIC_FILTER: (typeof FIELDS)[number] = ['metric_name', ['LCP', 'CLS', 'INP', 'TTFB', 'P', 'lcp']];

function filterOn(fields: typeof FIELDS): fc.Arbitrary<NaiveFieldFilter> {
  return fc.constantFrom(...fields).chain(([field, values]) =>
    fc.oneof(
      fc.record({
        field: fc.constant(field),
        op: fc.constantFrom(
          'eq' as const,
          'ne' as const,
          'contains' as const,
          'not_contains' as const,
          'starts_with' as const,
        ),
        value: fc.constantFrom(...values.filter((value) => value !== '')),
      }),
      fc.record({
        field: fc.constant(field),
        op: fc.constantFrom('in' as const, 'not_in' as const),
        value: fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({
        field: fc.constant(field),
        op: fc.constant('glob' as const),
        value: fc.constantFrom(...values, ...PATTERNS),
      }),
    ),
  );
}

const PATTERNS = ['**', '*', '/*', '/**', '/*/*', '/gr**e', 'G*', '*e', '**o*', '*.example', '?a', ''];

/** Returns a filter of a field, or of several of which one must hold. */
const someFilter = (fields: typeof FIELDS): fc.Arbitrary<NaiveFilter> =>
  fc.oneof(
    { weight: 3, arbitrary: filterOn(fields) },
    { weight: 1, arbitrary: fc.record({ any: fc.array(filterOn(fields), { minLength: 1, maxLength: 3 }) }) },
  );

export const websiteFilters = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 3, arbitrary: fc.array(someFilter(FIELDS), { minLength: 1, maxLength: 2 }) },
);
/** The options that only types with a minimum take, and the filters of those about vitals. */
export const typeOptions = fc.record(
  { minSamples: fc.integer({ min: 1, max: 4 }), filters: fc.array(someFilter([METRIC_FILTER]), { maxLength: 2 }) },
  { requiredKeys: ['filters'] },
);

export const linkFilters = fc.oneof(fc.constant([]), fc.array(someFilter(LINK_FIELDS), { minLength: 1, maxLength: 2 }));

/** Where the range lies relative to the first day of the traffic, and how long it is. */
export const range = fc.record({
  from: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: -2, max: 9 }) }, fc.integer({ min: -90, max: 70 })),
  days: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 30, max: 50 }), fc.integer({ min: 51, max: 140 })),
});
