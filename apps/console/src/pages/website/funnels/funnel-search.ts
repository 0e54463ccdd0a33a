import { optionalText } from '../../search-params';
import { readCondition, type ConditionSearch } from '../conditions/condition-search';
import { pageIn } from '../view/view-search';

/** The choice of what the page of a funnel shows beside its steps, and what its form begins with. */
export interface FunnelSearch extends ConditionSearch {
  /** The funnel that a new one begins as a copy of. */
  readonly copy?: string;
  /** The attribute that it is broken down by. */
  readonly by?: string;
  /** The visitors who are listed: `dropped-2` are those who left after the second step. */
  readonly who?: string;
  readonly page?: number;
}

export const readFunnel = (search: Record<string, unknown>): FunnelSearch => ({
  ...readCondition(search),
  ...optionalText(search, 'copy'),
  ...optionalText(search, 'by'),
  ...optionalText(search, 'who'),
  ...pageIn(search),
});
