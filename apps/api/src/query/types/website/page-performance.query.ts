import { topPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { byPath, dimension } from './dimension';

export const pagePerformance = dimension({
  name: 'page_performance',
  category: 'Pages',
  meaning: 'Page views and visitors by page; load timing is in vitals_by_page',
  reads: topPages,
  by: byPath,
  publicAccess: false,
  percentage: false,
});
