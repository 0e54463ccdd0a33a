// What is injected into the parts of the projector, by its role.

export const EVENT_STORE = Symbol('event store');
export const INTAKE_LOG = Symbol('intake log');
export const POOL = Symbol('pool of the main database');
export const READ_STORES = Symbol('read stores that this process projects');
export const ALL_STORES = Symbol('all read stores');
export const COPIER = Symbol('copier of the hits in Kafka');
export const HEAD_SIGNING = Symbol('signing of the heads of the hash chains in Postgres');
