/**
 * Rows of many read models hold blocks of days: `span` days of the website's own zone from `day` on, a multiple of the
 * span since 1970-01-01. Every day is in one block of each span; a question reads the few blocks that make up its range
 * (`blocksOf` of the domain).
 */
export const SPANS: readonly number[] = [1, 8, 64];

/**
 * The same for links: so many quarters of an hour (UTC), multiples of that since 1970-01-01T00:00Z; the last two are an
 * hour and a day. They make up the hours and days of any zone (`runsOf` of the domain).
 */
export const QUARTER_SPANS: readonly number[] = [1, 4, 96];

/** The value of the rows that are the sum of all values; no word has this id. */
export const EVERY_VALUE = -1;

/** So many bins of durations make a coarse one. */
export const COARSE = 32;
