import type { Pool } from 'pg';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Group } from '@ledgerline/contracts/read-models/groups';
import { reasonOf, StartFailure } from '../config/start-failure';
import { isCanceled, isMissingTable, isUnavailable } from '../database/database-errors';
import { type Queryable, run } from '../database/pool';
import { sql } from '../database/sql';

/** Which of how many read stores a database is; they share the partitions of the intake log. */
export interface Share {
  /** In READ_DATABASE_URLS, from 1. */
  readonly place: number;
  readonly stores: number;
}

/** A database with the read models of websites and links of some partitions: tables, dictionary and checkpoints. */
export interface ReadStore extends Share {
  readonly pool: Pool;
}

/** What is not divided: all partitions. */
export const WHOLE: Share = { place: 1, stores: 1 };

/**
 * Partition p belongs to store p mod n. A list that is extended to a multiple of its length therefore takes partitions
 * from every store and gives it none.
 */
export const serves = ({ place, stores }: Share, partition: number): boolean => partition % stores === place - 1;

/** The read stores of READ_DATABASE_URLS, in its order. */
export const readStoresOf = (urls: readonly string[]): (Share & { readonly url: string })[] =>
  urls.map((url, at) => ({ url, place: at + 1, stores: urls.length }));

/** What connections to a read store are called, by its place if there are several. */
export const storeName = (purpose: string, { place, stores }: Share): string =>
  stores === 1 ? purpose : `${purpose}-${place}`;

/** The read models of a website or link cannot be read; those of other stores can. */
export class ReadStoreUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ReadStoreUnavailable';
  }
}

const DOWN = 'The read models of this website or link cannot be reached at the moment; its hits are still recorded.';

/** No projector has made tables for a partition yet. */
export const notBuilt = (): Problem =>
  new Problem('SERVICE_UNAVAILABLE', 'The read models are not built yet', undefined, 1);

/** Runs work on a read store. @throws ReadStoreUnavailable when it is down, Problem SERVICE_UNAVAILABLE while it is empty */
export async function onReadStore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isMissingTable(error)) throw notBuilt();
    if (isUnavailable(error) && !isCanceled(error)) throw new ReadStoreUnavailable(DOWN, { cause: error });
    throw error;
  }
}

/**
 * Refuses a database whose live read models are of other partitions than its place in READ_DATABASE_URLS asks for; an
 * empty one may take any place. @throws StartFailure
 */
export async function assertPlacement(on: Queryable, share: Share, group: Group, partitions: number): Promise<void> {
  const rows = await run<{ partition: number }>(
    on,
    sql`select c.partition from projection_groups g
      join projection_checkpoints c on c.projection_group = g.name and c.version = g.live_version
      where g.name = ${group} order by c.partition`,
  );
  const held = rows.map(({ partition }) => partition);
  const wanted = Array.from({ length: partitions }, (_, partition) => partition).filter((each) => serves(share, each));
  if (held.length === 0 || wanted.every((partition) => held.includes(partition))) return;
  throw new StartFailure(
    `The database at place ${share.place} of ${share.stores} read stores has the read models of the partitions ${held.join(', ')} and not of ${wanted.join(', ')}; correct READ_DATABASE_URLS, or put an empty database there.`,
  );
}

/** @throws StartFailure when there are more read stores than partitions */
export function assertShares(stores: number, partitions: number): void {
  if (stores <= partitions) return;
  throw new StartFailure(
    `READ_DATABASE_URLS names ${stores} databases, but the intake log has ${partitions} partitions; each store needs one.`,
  );
}

/** A failure that no waiting mends, such as a wrong password, as a sentence that names the store; others as they are. */
export function namingStore(error: unknown, { place }: Share): unknown {
  const reason = isUnavailable(error) ? undefined : reasonOf(error);
  if (reason === undefined) return error;
  return new StartFailure(`The database at place ${place} of READ_DATABASE_URLS cannot be used (${reason}).`);
}
