/** The most items of one request to the tracking host; other routes take one. */
export const MAX_ITEMS = { track: 100, batch: 100, vitals: 20, errors: 50, engagement: 20 } as const;

/** The longest body of a request with errors of scripts, in bytes. */
export const MAX_ERRORS_BODY = 128 * 1024;

/** The longest ids that clients make, in characters; those of visitors and sessions are of `A-Z a-z 0-9 _ -`. */
export const MAX_ID = { event: 512, visitor: 256, profile: 128, website: 128 } as const;

/** Of the properties of one event, and of the traits of one person. */
export const MAX_OBJECT = { keys: 50, bytes: 32 * 1024 } as const;

/** How much of a stack is kept. */
export const MAX_STACK_BYTES = 8 * 1024;
