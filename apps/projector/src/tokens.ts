export const EVENT_STORE = Symbol('event store');
export const INTAKE_LOG = Symbol('intake log');
export const POOL = Symbol('pool of the projections');
