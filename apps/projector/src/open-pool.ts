import { openPool } from '@ledgerline/platform/database/pool';
import type { Pool } from 'pg';

/**
 * The connections projections are written through. A process that hangs inside a transaction loses it, and with it its
 * claim on the partition, after a few seconds.
 */
export const openProjectionPool = (url: string, { max = 12, idleInTransactionTimeoutMs = 5_000 } = {}): Pool =>
  openPool({
    url,
    name: 'projector',
    max,
    pipeline: true,
    statementTimeoutMs: 60_000,
    idleInTransactionTimeoutMs,
  });
