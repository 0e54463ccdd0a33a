import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { customEventUsers } from '@ledgerline/contracts/read-models/website-events';
import { distinctVisitors } from './distinct';

export const customEventUsersProjection = distinctVisitors(customEventUsers, HIT.custom, ({ word }) => word);
