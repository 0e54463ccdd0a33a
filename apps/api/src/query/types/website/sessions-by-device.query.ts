import { deviceTypes } from '@ledgerline/contracts/read-models/website-dimensions';
import { sessionsBy } from './sessions-by';

export const sessionsByDevice = sessionsBy({
  name: 'sessions_by_device',
  meaning: 'Sessions by device category',
  reads: deviceTypes,
  column: 'device_type',
});
