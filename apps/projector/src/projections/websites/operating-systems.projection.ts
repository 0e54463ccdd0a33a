import { operatingSystems } from '@ledgerline/contracts/read-models/website-dimensions';
import { byAttribute } from './dimension';

export const operatingSystemsProjection = byAttribute(operatingSystems, 'os_name');
