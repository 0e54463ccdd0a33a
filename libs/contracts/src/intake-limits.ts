/*
 * Limits and names of the tracking host, which its script for browsers keeps too. TRICKY: what is computed by a call here would be
 * part of that script.
 */

/** The most items of one request to a route. */
export const MAX_ITEMS = {
  '/batch': 100,
  '/vitals': 20,
  '/errors': 50,
  '/engagement': 20,
  '/identify': 1,
  '/track': 100,
} as const;

/** The parameter of an address of an own website that names the click on a short link which led there. */
export const CLICK_PARAMETER = 'll_click';

/** The longest body of a request with errors of scripts, in bytes. */
export const MAX_ERRORS_BODY = 128 * 1024;

/** The longest ids that clients make, in characters; those of visitors and sessions are of `A-Z a-z 0-9 . _ -`. */
export const MAX_ID = { event: 512, visitor: 256, profile: 128, website: 128 } as const;

/** The bounds of the properties of one event, and of the traits of one person. */
export const MAX_OBJECT = { keys: 50, bytes: 32 * 1024, depth: 16 } as const;

/** The characters that are kept of a name and the like. */
export const MAX_NAME = 256;
export const MAX_UTM = 512;
export const MAX_TEXT = 2048;

/** The bytes that are kept of a stack. */
export const MAX_STACK_BYTES = 8 * 1024;

const HOUR_MS = 3_600_000;

/** The times that events may have: so far ahead of now, and not before; those of browsers only so long ago. */
export const MAX_AHEAD_MS = HOUR_MS;
export const EARLIEST_TIME = 946_684_800_000; // 2000-01-01
export const MAX_BROWSER_EVENT_AGE_MS = 7 * 24 * HOUR_MS;

/** The clock of a browser that differs from ours by less is right: requests may take so long on their way. */
export const CLOCK_TOLERANCE_MS = 60_000;
