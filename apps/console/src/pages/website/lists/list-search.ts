import { optionalText } from '../../search-params';
import { oneOf, pageIn } from '../view/view-search';

/** The order of a list, and which page of it is shown, as an address says. */
export interface ListSearch {
  readonly sort?: string;
  readonly order?: 'asc' | 'desc';
  readonly page?: number;
  /** Rows of few events are shown, too. */
  readonly few?: 'shown';
}

const ORDERS = [['asc'], ['desc']] as const;
const FEW = [['shown']] as const;

export const readListSearch = (search: Record<string, unknown>): ListSearch => ({
  ...optionalText(search, 'sort'),
  ...oneOf(search, 'order', ORDERS),
  ...pageIn(search),
  ...oneOf(search, 'few', FEW),
});

/** How many rows a page of a list has. */
export const PAGE_ROWS = 50;
