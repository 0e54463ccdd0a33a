/**
 * Rows of many read models hold blocks of days: `span` days of the website's own zone from `day` on, a multiple of the
 * span since 1970-01-01. Every day is in one block of each span, a website's latest day in that of a single day only: it
 * is added to the others when a later one begins. A question reads the few blocks that make up its range (`blocksOf` of
 * the domain).
 */
export const SPANS: readonly number[] = [1, 8, 64];

/** Intervals of 15 minutes. */
export const INTERVALS_PER_DAY = 96;

/**
 * The same for links and monitors: blocks of one 15-minute interval and of a day of UTC. They make up the hours and days of any zone
 * (`runsOf` of the domain).
 */
export const LINK_SPANS: readonly number[] = [1, INTERVALS_PER_DAY];

/** The value of the rows that are the sum of all values; no text has this id. */
export const EVERY_VALUE = -1;
