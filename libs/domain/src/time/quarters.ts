export const QUARTER_MS = 15 * 60_000;

/** Blocks of so many quarters of an hour side by side, from one instant (epoch ms) to another. */
export interface Run {
  readonly span: number;
  readonly from: number;
  readonly to: number;
}

/** The instant at which the block of so many quarters begins an instant lies in. */
export const quarterBlock = (at: number, span: number): number =>
  Math.floor(at / (span * QUARTER_MS)) * span * QUARTER_MS;

/**
 * The largest blocks that make up the time between two quarters, in its order. Spans grow, each a multiple of the one
 * before, the first is 1.
 */
export function runsOf(from: number, to: number, [span = 1, larger, ...largest]: readonly number[]): readonly Run[] {
  if (from >= to) return [];
  if (larger === undefined) return [{ span, from, to }];
  const begin = quarterBlock(from + larger * QUARTER_MS - 1, larger);
  const end = quarterBlock(to, larger);
  if (begin >= end) return [{ span, from, to }];
  const [before, after] = [
    { span, from, to: begin },
    { span, from: end, to },
  ];
  const inside = runsOf(begin, end, [larger, ...largest]);
  return [before, ...inside, after].filter((run) => run.from < run.to);
}
