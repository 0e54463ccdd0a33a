import { blockStart } from '../time/fifteen-minutes';

/** A block of so many 15-minute intervals in which a visitor clicked, and the interval of their last click before it. */
interface LinkVisit {
  readonly span: number;
  /** The instant at which the block begins (epoch ms), as below. */
  readonly start: number;
  readonly previous: number | undefined;
}

/** The blocks in which one visitor clicked a link, from all 15-minute intervals in which they did, in order. */
export function visitsOf(intervals: readonly number[], spans: readonly number[]): LinkVisit[] {
  return spans.flatMap((span) =>
    intervals.flatMap((interval, place) => {
      const start = blockStart(interval, span);
      const previous = intervals[place - 1];
      const isFirst = previous === undefined || previous < start;
      return isFirst ? [{ span, start, previous }] : [];
    }),
  );
}
