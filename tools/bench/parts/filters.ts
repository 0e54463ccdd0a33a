import type { Filter } from '../query-client';

/** A quarter of the traffic; nearly every type takes both fields. */
export const QUARTER: readonly Filter[] = [{ field: 'country', op: 'eq', value: 'US' }];
/** Together about a twelfth. */
export const TWELFTH: readonly Filter[] = [...QUARTER, { field: 'device_type', op: 'eq', value: 'mobile' }];
