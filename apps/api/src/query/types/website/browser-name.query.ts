import { browsers } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute, dimension } from './dimension';

export const browserName = dimension({
  name: 'browser_name',
  category: 'Devices',
  meaning: 'Browser usage breakdown',
  reads: browsers,
  by: byAttribute('browser_name'),
});
