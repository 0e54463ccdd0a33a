import { operatingSystems } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute, dimension } from './dimension';

export const osName = dimension({
  name: 'os_name',
  category: 'Devices',
  meaning: 'Operating system breakdown',
  reads: operatingSystems,
  by: byAttribute('os_name'),
});
