import type { Pool } from 'pg';
import { openPool } from '@ledgerline/platform/database/pool';
import { type ReadStore, readStoresOf, storeName } from '@ledgerline/platform/read-stores/read-stores';

/**
 * The connections projections are written through. A process that hangs inside a transaction loses it after a few
 * seconds, and with it its lock on the partition's checkpoint.
 */
export const openProjectionPool = (
  url: string,
  { name = 'projector', max = 12, idleInTransactionTimeoutMs = 5_000 } = {},
): Pool =>
  openPool({
    url,
    name,
    max,
    pipeline: true,
    statementTimeoutMs: 60_000,
    queryTimeoutMs: 300_000, // several statements are sent at once, and the last one waits for all of them
    idleInTransactionTimeoutMs,
  });

/** The pools of the read stores of these URLs, each with its share of the partitions; `places` = some of them only. */
export const openStorePools = (
  urls: readonly string[],
  { places, ...options }: { readonly places?: readonly number[]; readonly idleInTransactionTimeoutMs?: number } = {},
): readonly ReadStore[] =>
  readStoresOf(urls)
    .filter(({ place }) => places?.includes(place) ?? true)
    .map(({ url, ...share }) => {
      const name = storeName('projector-store', share);
      return { ...share, pool: openProjectionPool(url, { name, ...options }) };
    });

const MAX_STATEMENT_MS = 6 * 3_600_000;

/** One connection to the same database, for work on whole versions: comparing, indexing, vacuum. */
export const openLongRunningPool = ({ options }: Pool): Pool =>
  openPool({
    url: options.connectionString ?? '',
    name: 'rebuild',
    max: 1,
    statementTimeoutMs: MAX_STATEMENT_MS,
    idleInTransactionTimeoutMs: 0,
  });
