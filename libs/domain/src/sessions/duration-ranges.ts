/** Ranges of session durations, each from its lower end (ms) to the next one's, in the order they are shown. */
const RANGES: readonly { readonly name: string; readonly from: number }[] = [
  { name: '0-10s', from: 0 },
  { name: '10-30s', from: 10_000 },
  { name: '30-60s', from: 30_000 },
  { name: '1-3m', from: 60_000 },
  { name: '3-10m', from: 180_000 },
  { name: '10-30m', from: 600_000 },
  { name: '30m+', from: 1_800_000 },
];

/** Where the ranges begin, in ms. */
export const RANGE_STARTS: readonly number[] = RANGES.map(({ from }) => from);

/** The names of the ranges, in their order. */
export const RANGE_NAMES: readonly string[] = RANGES.map(({ name }) => name);

/** The place of a duration's range, from 1. */
export const durationRange = (ms: number): number => RANGE_STARTS.filter((from) => from <= ms).length;

/** The name of the range at a place. */
export const rangeName = (place: number): string | undefined => RANGES[place - 1]?.name;
