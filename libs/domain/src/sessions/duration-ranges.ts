import { RANGE_STARTS } from '@ledgerline/contracts/read-models/encodings';

/** The names of the ranges of session durations, in the order they are shown. */
export const RANGE_NAMES: readonly string[] = ['0-10s', '10-30s', '30-60s', '1-3m', '3-10m', '10-30m', '30m+'];

/** The place of a duration's range, from 1. */
export const durationRange = (ms: number): number => RANGE_STARTS.filter((from) => from <= ms).length;

/** The name of the range at a place. */
export const rangeName = (place: number): string | undefined => RANGE_NAMES[place - 1];
