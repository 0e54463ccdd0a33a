import { INTERVALS_PER_DAY } from '@ledgerline/contracts/read-models/time-blocks';

export const FIFTEEN_MINUTES_MS = 15 * 60_000;

/** Blocks of so many 15-minute intervals side by side, from one instant (epoch ms) to another. */
interface Run {
  readonly span: number;
  readonly from: number;
  readonly to: number;
}

/** The instant at which the block of so many 15-minute intervals begins that an instant lies in. */
export const blockStart = (at: number, span = 1): number =>
  Math.floor(at / (span * FIFTEEN_MINUTES_MS)) * span * FIFTEEN_MINUTES_MS;

/** The time between two multiples of 15 minutes as days of UTC, with single intervals before and after them. */
export function runsOf(from: number, to: number): readonly Run[] {
  const day = INTERVALS_PER_DAY;
  const begin = blockStart(from + day * FIFTEEN_MINUTES_MS - 1, day);
  const end = blockStart(to, day);
  const runs =
    begin < end
      ? [
          { span: 1, from, to: begin },
          { span: day, from: begin, to: end },
          { span: 1, from: end, to },
        ]
      : [{ span: 1, from, to }];
  return runs.filter((run) => run.from < run.to);
}
