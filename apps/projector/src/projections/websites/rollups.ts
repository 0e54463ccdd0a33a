import { ACTIONS } from './actions.projections';
import { DIMENSIONS } from './dimensions.projections';
import { DISTINCT_COUNTS } from './distinct-counts.projections';
import { TRANSITIONS } from './page-transitions.projections';
import { REPORTS } from './page-visits.projections';
import type { Rollup } from './rollup';
import { TOTALS } from './totals.projections';

/** Everything that is added up from the sessions of a website's visitors. */
export const ROLLUPS: readonly Rollup[] = [
  ...TOTALS,
  ...DIMENSIONS,
  ...ACTIONS,
  ...DISTINCT_COUNTS,
  ...TRANSITIONS,
  ...REPORTS,
];
