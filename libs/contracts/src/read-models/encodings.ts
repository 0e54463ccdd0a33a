/** Numbers that rows of read models depend on: tables that were filled with others mean something else. */

/**
 * Version of the classification of referrers; to be raised with every change of the list or the rules, so that the tables
 * that hold its results are built anew from the referrers in the log.
 */
export const REFERRER_RULES_VERSION = 2;

/** By so much a bin of durations is wider than the one before. */
export const GAMMA = 1.02;

/** Of packed page reports: scroll depths are hundredths of a percent, 0 = not reported, else one more. */
export const REPORT_BASE = 10_002;

/** Where the ranges of session durations begin, in ms. */
export const RANGE_STARTS: readonly number[] = [0, 10_000, 30_000, 60_000, 180_000, 600_000, 1_800_000];

/** Where the ranges of scroll depths begin, in hundredths of a percent. */
export const SCROLL_RANGE_STARTS = [0, 2500, 5000, 7500, 10_000] as const;
