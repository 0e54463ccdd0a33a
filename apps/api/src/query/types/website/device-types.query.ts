import { deviceTypes } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute, dimension } from './dimension';

export const deviceTypesQuery = dimension({
  name: 'device_types',
  category: 'Devices',
  meaning: 'Device category (desktop, mobile, tablet, other)',
  reads: deviceTypes,
  by: byAttribute('device_type'),
});
