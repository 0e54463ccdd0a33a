import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { outboundLinkSessions } from '@ledgerline/contracts/read-models/website-events';
import { distinctSessions } from './distinct';

export const outboundLinkSessionsProjection = distinctSessions(outboundLinkSessions, HIT.outgoing, ({ word }) => word);
