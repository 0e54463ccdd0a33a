import { quarterBlock } from '../time/quarters';

/** A block of so many quarters in which a visitor clicked, and the quarter of their last click before it. */
export interface LinkVisit {
  readonly span: number;
  /** The instant the block begins (epoch ms), as below. */
  readonly quarter: number;
  readonly previousQuarter: number | undefined;
}

/** Where one visitor was, from all the quarters in which they clicked a link, in their order. */
export function visitsOf(quarters: readonly number[], spans: readonly number[]): LinkVisit[] {
  return spans.flatMap((span) =>
    quarters.flatMap((at, place) => {
      const quarter = quarterBlock(at, span);
      const previousQuarter = quarters[place - 1];
      const isFirst = previousQuarter === undefined || previousQuarter < quarter;
      return isFirst ? [{ span, quarter, previousQuarter }] : [];
    }),
  );
}
