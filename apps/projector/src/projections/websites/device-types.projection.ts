import { deviceTypes } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute } from './dimension';

export const deviceTypesProjection = byAttribute(deviceTypes, 'device_type');
