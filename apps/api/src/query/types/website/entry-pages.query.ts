import { entryPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { bySession, dimension } from './dimension';

export const entryPagesQuery = dimension({
  name: 'entry_pages',
  category: 'Pages',
  meaning: 'First pages of sessions; pageviews = sessions that entered there',
  reads: entryPages,
  by: bySession('entry_path'),
});
