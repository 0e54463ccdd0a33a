/** Injection tokens of the values that are created once at start. */
export const SETTINGS = Symbol('Settings');
export const LOGGER = Symbol('Logger');
export const EVENT_STORE = Symbol('EventStore');
/** Connections to Postgres for commands and everything else that has no pool of its own. */
export const POOL = Symbol('Pool of connections to Postgres');
/** The pool of the counts that limit the rate of requests. */
export const COUNT_POOL = Symbol('Pool of request counts');
/** The pool of the health endpoints, which must answer whatever else is going on. */
export const HEALTH_POOL = Symbol('Pool of health checks');
