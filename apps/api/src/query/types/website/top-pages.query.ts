import { topPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { byPath, dimension } from './dimension';

export const topPagesQuery = dimension({
  name: 'top_pages',
  category: 'Pages',
  meaning: 'Page views and visitors by path',
  reads: topPages,
  by: byPath,
});
