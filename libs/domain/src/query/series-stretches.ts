import type { Bucket, Stretch } from './buckets';

/** What a series is about: its range (epoch ms, end excluded) and the buckets of it. */
interface SeriesRange extends Stretch {
  readonly buckets: readonly Bucket[];
}

/** A stretch of a bucket, with the number (from 1) of the bucket. */
interface BucketStretch extends Stretch {
  readonly bucket: number;
}

/**
 * What the buckets consist of up to the end of the range, in the order of time and without gaps: a bucket each, unless
 * clocks repeat a part of an hour.
 */
export const stretchesOf = ({ buckets, to: end }: SeriesRange): BucketStretch[] =>
  buckets
    .flatMap(({ stretches }, at) => stretches.map(({ from, to }) => ({ from, to: Math.min(to, end), bucket: at + 1 })))
    .filter(({ from, to }) => from < to)
    .sort((a, b) => a.from - b.from);

/** The span of the buckets: from the first to the end of the one that is now. */
export const spanOf = (range: SeriesRange): Stretch => ({
  from: range.from,
  to: stretchesOf(range).at(-1)?.to ?? range.from,
});

/** Where the stretches begin, and the last of them ends; epoch ms. */
export const boundsOf = (range: SeriesRange): number[] => [
  ...stretchesOf(range).map(({ from }) => from),
  spanOf(range).to,
];
