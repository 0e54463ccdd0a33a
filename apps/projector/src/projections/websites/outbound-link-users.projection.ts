import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { outboundLinkUsers } from '@ledgerline/contracts/read-models/website-events';
import { distinctVisitors } from './distinct';

export const outboundLinkUsersProjection = distinctVisitors(outboundLinkUsers, HIT.outgoing, ({ word }) => word);
