import { exitPages } from '@ledgerline/contracts/read-models/website-dimensions';
import { bySession, dimension } from './dimension';

export const exitPagesQuery = dimension({
  name: 'exit_pages',
  category: 'Pages',
  meaning: 'Last pages of sessions; pageviews = sessions that left there',
  reads: exitPages,
  by: bySession('exit_path'),
});
