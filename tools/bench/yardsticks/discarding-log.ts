/**
 * Required before the tracker: its intake log accepts every hit and stores none, so that what remains is the same app
 * parsing, checking and answering the same requests.
 */
import type { SendResult } from '@ledgerline/platform/intake-log/intake-log';
import { PostgresIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';

PostgresIntakeLog.prototype.send = (hits): Promise<SendResult> =>
  Promise.resolve({ outcomes: hits.map(() => 'stored' as const), positions: new Map([[0, '1']]) });
