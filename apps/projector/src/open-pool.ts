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
    queryTimeoutMs: 300_000, // several statements are on their way at once, and the last one waits for all of them
    idleInTransactionTimeoutMs,
  });

const LONGEST_STATEMENT_MS = 6 * 3_600_000;

/** One connection to the same database, for what looks at whole versions: comparing, indexing. */
export const openPatientPool = ({ options }: Pool): Pool =>
  openPool({
    url: options.connectionString ?? '',
    name: 'rebuild',
    max: 1,
    statementTimeoutMs: LONGEST_STATEMENT_MS,
    idleInTransactionTimeoutMs: 0,
  });
