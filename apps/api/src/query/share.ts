import { countOf } from '@ledgerline/domain/counting/count-of';
import { each } from '@ledgerline/domain/counting/items';
import { SCROLLING, VIEWS } from '@ledgerline/domain/counts/website-counts';
import type { SessionCounting } from './query-type';

/** What the `percentage` of a row is the part of (docs/definitions.md). */
export interface Share {
  /** The count of the row. */
  readonly column: string;
  readonly of: Whole;
}

/** All there are of something; `sum` where each of them is in exactly one row. */
export type Whole = 'sum' | { readonly count: SessionCounting };

/** All visitors of the range with the same filters: a visitor in several rows counts once. */
export const OF_ALL_VISITORS = {
  column: 'visitors',
  of: {
    count: countOf({ ...VIEWS, measures: { whole: VIEWS.measures.visitors } }),
  },
} as const satisfies Share;

/** All sessions of which a scroll depth is known. */
export const OF_SCROLLED_SESSIONS = {
  column: 'sessions',
  of: {
    count: countOf({ ...SCROLLING, of: each('visits'), measures: { whole: SCROLLING.measures.total_sessions } }),
  },
} as const satisfies Share;
