import { linkDevices } from '@ledgerline/contracts/read-models/links';
import { linkDimension } from './link-dimension';

export const linkTopDevices = linkDimension({
  name: 'link_top_devices',
  meaning: 'Device type breakdown (mobile, desktop, tablet)',
  reads: linkDevices,
  column: 'device_type',
});
