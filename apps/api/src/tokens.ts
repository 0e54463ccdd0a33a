/** Injection tokens of the values that are created once at start. */
export const SETTINGS = Symbol('Settings');
export const LOGGER = Symbol('Logger');
export const EVENT_STORE = Symbol('EventStore');
export const POOL = Symbol('Pool of connections to Postgres');
