import type { Window } from './local-session';

/** So many days from `day` on, counted for or against a sum; days since 1970-01-01, `day` a multiple of `span`. */
interface Block {
  readonly span: number;
  readonly day: number;
  readonly sign: 1 | -1;
}

/** What may be cut where; spans grow, each a multiple of the one before, the first is 1. */
interface Cut {
  readonly spans: readonly number[];
  /** Whether blocks may begin before the range, or end after it, and be subtracted again. */
  readonly before: boolean;
  readonly after: boolean;
  /** The latest day with anything: it is in a block of a single day only, and after it there are no blocks. */
  readonly latestDay: number;
}

/** The first day of the block of so many days a day lies in. */
export const blockOf = (day: number, span: number): number => Math.floor(day / span) * span;

/** The fewest blocks that add up to the days of a range up to the latest one. None of them is there twice. */
export function blocksOf({ since, until }: Window, cut: Cut): readonly Block[] {
  const { latestDay } = cut;
  const end = Math.min(until + 1, latestDay);
  const closed = since < end ? fewest(since, end, cut, 0).filter(({ day }) => day < latestDay) : [];
  return since <= latestDay && until >= latestDay ? [...closed, { span: 1, day: latestDay, sign: 1 }] : closed;
}

/** From and to (excluded) are multiples of the span of the level. */
function fewest(from: number, to: number, cut: Cut, level: number): readonly Block[] {
  const [span = 1, larger] = cut.spans.slice(level);
  let best = run(from, to, span, 1);
  if (larger === undefined) return best;
  for (const begin of edges(from, larger, cut.before, true)) {
    for (const end of edges(to, larger, true, cut.after)) {
      if (begin > end) continue;
      const ends = [...between(begin, from, span, -1), ...between(to, end, span, -1)];
      const blocks = [...ends, ...fewest(begin, end, cut, level + 1)];
      if (costOf(blocks, cut) < costOf(best, cut)) best = blocks;
    }
  }
  return best;
}

/** Where the larger blocks may begin or end instead. */
function edges(day: number, span: number, down: boolean, up: boolean): readonly number[] {
  const below = blockOf(day, span);
  if (below === day) return [day];
  return [...(down ? [below] : []), ...(up ? [below + span] : [])];
}

/** What lies between two days counts with the sign, or against it where they are the other way round. */
const between = (from: number, to: number, span: number, sign: 1 | -1): readonly Block[] =>
  from <= to ? run(from, to, span, sign) : run(to, from, span, sign === 1 ? -1 : 1);

function run(from: number, to: number, span: number, sign: 1 | -1): readonly Block[] {
  return Array.from({ length: (to - from) / span }, (_, at) => ({ span, day: from + at * span, sign }));
}

const costOf = (blocks: readonly Block[], { latestDay }: Cut): number =>
  blocks.filter(({ day }) => day < latestDay).length;
