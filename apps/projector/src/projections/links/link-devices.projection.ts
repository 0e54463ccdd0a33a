import { linkDevices } from '@ledgerline/contracts/read-models/links';
import { byProperty } from './click';

export const linkDevicesProjection = byProperty(linkDevices, ({ device }) => device);
