import { LISTED_ATTRIBUTES } from '../attributes';
import { GAMMA, RANGE_STARTS, SCROLL_RANGE_STARTS } from './session-days';
import { type Column, key, last, meaning, notCompared, readModel } from './read-model';

/** The counts of websites that are kept; what each counts is declared in the domain (`website-counts`). */
export const KEPT_COUNT_NAMES = [
  ...(['views', 'custom_events', 'outgoing_links', 'sessions', 'session_events'] as const),
  ...(['pages', 'entries', 'exits', 'durations', 'flow'] as const),
  ...LISTED_ATTRIBUTES.map((name) => `views_by_${name}` as const),
  ...(['sessions_by_device_type', 'sessions_by_browser_name'] as const),
  ...(['event_names', 'event_pages', 'event_names_of_pages', 'outbound_links', 'outbound_domains'] as const),
  ...(['errors', 'error_types', 'error_messages', 'error_pages', 'failed_sessions'] as const),
  ...(['interactions', 'time_on_pages', 'scrolling', 'scroll_ranges', 'scrolled_pages', 'visits_of_pages'] as const),
  ...(['frustration', 'forms', 'attention', 'rage_targets', 'dead_targets', 'abandoned_fields'] as const),
  ...(['vitals', 'vitals_of_pages'] as const),
] as const;

export type KeptCountName = (typeof KEPT_COUNT_NAMES)[number];

/** To be raised when the same events give other numbers in a column: the table is then filled anew. */
const DECLARATIONS = 2;

/** Null = nothing. */
const packed = (): Column<'last'> => last('bytea?');

/**
 * What is kept of the sessions and facts of a website: rows of differences, each of which a batch adds and none ever
 * changes; all together are the counts. A column holds what a count changes by day and key (`kept-pack` of the domain). Rows
 * are merged into fewer ones of the same sum.
 */
export const keptCounts = notCompared(
  meaning(
    readModel(
      'kept_counts',
      {
        website: key('integer'),
        /** Random: it names the content of the row. */
        number: key('bigint'),
        /** The first and last day of the website's own zone that it has numbers of (since 1970-01-01). */
        since: last('integer'),
        until: last('integer'),
        /** Of all columns together. */
        size: last('integer'),
        ...(Object.fromEntries(KEPT_COUNT_NAMES.map((name) => [name, packed()])) as Readonly<
          Record<KeptCountName, Column<'last'>>
        >),
      },
      [{ on: ['website', 'size'] }],
    ),
    ...[DECLARATIONS, GAMMA, ...RANGE_STARTS, ...SCROLL_RANGE_STARTS],
  ),
);

/**
 * Read models hold small integers for texts. The table `dictionary(id, scope, hash, text)` is shared by all versions and
 * only ever grows; `scope` is the text id of the website a text belongs to, and 0 for the website ids themselves. `hash`
 * is `textHash(text)` of the platform: the first 128 bits of the SHA-256 of its UTF-8 bytes.
 */
export const WEBSITE_SCOPE = 0;

/** The id of a missing text; no row of `dictionary` has it. */
export const NO_TEXT = 0;

/** The id of `ANOTHER_PAGE`; no row of `dictionary` has it. */
export const ANOTHER_PAGE_ID = 2 ** 31 - 1;

/**
 * Joins the parts of a composite text: region = country␟region, city = country␟city, browser version = browser␟version.
 * An unknown region, city or browser is NO_TEXT; a known browser of unknown version keeps an empty second part.
 */
export const PART_SEPARATOR = '\u001f';

/** Intervals of 15 minutes. */
export const INTERVALS_PER_DAY = 96;

/**
 * Rows of links and monitors hold blocks of time: `span` intervals of 15 minutes, one or a day of UTC. They make up the
 * hours and days of any zone (`runsOf` of the domain).
 */
export const LINK_SPANS: readonly number[] = [1, INTERVALS_PER_DAY];
