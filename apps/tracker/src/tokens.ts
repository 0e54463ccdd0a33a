export const SETTINGS = Symbol('settings');
export const LOGGER = Symbol('logger');
export const EVENT_STORE = Symbol('event store');
export const INTAKE_LOG = Symbol('intake log');
export const POOL = Symbol('pool of connections to Postgres');
export const ENTITIES = Symbol('data source of the entities');
export const INTAKE_DEPS = Symbol('dependencies of the intake steps');
export const REDIRECT_DEPS = Symbol('dependencies of the redirect');
