import { browsers } from '@ledgerline/contracts/read-models/website-dimensions';
import { sessionsBy } from './sessions-by';

export const sessionsByBrowser = sessionsBy({
  name: 'sessions_by_browser',
  meaning: 'Sessions by browser',
  reads: browsers,
  column: 'browser_name',
});
