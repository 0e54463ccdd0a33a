/** The number of intervals of 15 minutes in a day. */
export const INTERVALS_PER_DAY = 96;

/**
 * Rows of links and monitors hold blocks of time: `span` intervals of 15 minutes, one or a day of UTC. They make up the
 * hours and days of any zone (`runsOf` of the domain).
 */
export const LINK_SPANS: readonly number[] = [1, INTERVALS_PER_DAY];
