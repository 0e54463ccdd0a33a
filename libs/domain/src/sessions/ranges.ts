import { GAMMA, RANGE_STARTS, SCROLL_RANGE_STARTS } from '@ledgerline/contracts/read-models/encodings';

const LOG_GAMMA = Math.log(GAMMA);

/** The bin a duration in ms falls into: 0 for nothing, else (GAMMA^(bin-2), GAMMA^(bin-1)]. */
export const durationBin = (ms: number): number =>
  ms <= 0 ? 0 : Math.max(1, Math.ceil(Math.log(ms) / LOG_GAMMA - 1e-9) + 1);

/** The duration of a bin in ms, within 1 % of every duration in it. */
export const binValue = (bin: number): number => (bin === 0 ? 0 : (2 * GAMMA ** (bin - 1)) / (GAMMA + 1));

/** The names of the ranges of session durations, in the order they are shown. */
export const RANGE_NAMES: readonly string[] = ['0-10s', '10-30s', '30-60s', '1-3m', '3-10m', '10-30m', '30m+'];

/** The place of a duration's range, from 1. */
export const durationRange = (ms: number): number => RANGE_STARTS.filter((from) => from <= ms).length;

/** The name of the range at a place. */
export const rangeName = (place: number): string | undefined => RANGE_NAMES[place - 1];

/** The names of the ranges, in their order. */
export const SCROLL_RANGE_NAMES: readonly string[] = ['0-25%', '25-50%', '50-75%', '75-100%', '100%'];

/** The place (from 1) of the range of a known scroll depth; SQL's width_bucket gives the same. */
export const scrollRange = (scroll: number): number => SCROLL_RANGE_STARTS.filter((start) => start <= scroll).length;

export const scrollRangeName = (place: number): string => SCROLL_RANGE_NAMES[place - 1] ?? '';
