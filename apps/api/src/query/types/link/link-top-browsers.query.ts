import { linkBrowsers } from '@ledgerline/contracts/read-models/links';
import { linkDimension } from './link-dimension';

export const linkTopBrowsers = linkDimension({
  name: 'link_top_browsers',
  meaning: 'Browser breakdown',
  reads: linkBrowsers,
  column: 'browser_name',
});
