import { REPORT_BASE } from '@ledgerline/contracts/read-models/encodings';

/** What a leave or an engagement span reports of a page view, beside its time on page. */
export interface PageReport {
  /** Percent; null = not reported. */
  readonly scrollDepth: number | null;
  /** null = not reported. */
  readonly interactions: number | null;
}

/** More do not fit into an integer column beside the scroll depth. */
const MAX_INTERACTIONS = 200_000;

/** Both as one integer, which a hit holds as its text; 0 = neither is reported. */
export function packReport({ scrollDepth, interactions }: PageReport): number {
  const scrolled = scrollDepth === null ? 0 : Math.round(Math.min(Math.max(scrollDepth, 0), 100) * 100) + 1;
  const acted = interactions === null ? 0 : Math.min(Math.max(interactions, 0), MAX_INTERACTIONS) + 1;
  return acted * REPORT_BASE + scrolled;
}

/** Hundredths of a percent; -1 = not reported. */
export const scrollOf = (packed: number): number => (packed % REPORT_BASE) - 1;

/** -1 = not reported. */
export const interactionsOf = (packed: number): number => Math.floor(packed / REPORT_BASE) - 1;
