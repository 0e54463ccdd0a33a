import { hash } from 'node:crypto';

/** The number of buckets. */
export const BUCKETS = 2 ** 32;

/**
 * The bucket of a unit (a person, an organization, a team) for a flag, from 0: the first 32 bits of SHA-256 over both.
 * It depends on nothing else, so that a unit stays in while a rollout grows.
 */
export const bucketOf = (flagKey: string, unit: string): number =>
  Number.parseInt(hash('sha256', `${flagKey}:${unit}`, 'hex').slice(0, 8), 16);
