import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { outboundDomainUsers } from '@ledgerline/contracts/read-models/website-events';
import { distinctVisitors } from './distinct';

export const outboundDomainUsersProjection = distinctVisitors(
  outboundDomainUsers,
  HIT.outgoing,
  ({ word }, { domainOf }) => domainOf(word),
);
