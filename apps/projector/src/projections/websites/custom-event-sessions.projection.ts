import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { customEventSessions } from '@ledgerline/contracts/read-models/website-events';
import { distinctSessions } from './distinct';

export const customEventSessionsProjection = distinctSessions(customEventSessions, HIT.custom, ({ word }) => word);
