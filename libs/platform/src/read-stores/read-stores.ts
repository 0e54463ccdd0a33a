import type { Pool } from 'pg';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { Group } from '@ledgerline/contracts/read-models/registry';
import { StartFailure, reasonOf } from '../config/start-failure';
import { isCanceled, isMissingTable, isUnavailable } from '../database/database-errors';
import { type Queryable, openPool, run } from '../database/pool';
import { sql } from '../database/sql';
import { partitionOf, readPartitions } from '../intake-log/intake-log';

/** The place of a database among read stores; they share the partitions of the intake log. */
export interface StoreShare {
  /** In READ_DATABASE_URLS, from 1. */
  readonly place: number;
  readonly stores: number;
}

/** A database with the read models of websites and links of some partitions: tables, dictionary and checkpoints. */
export interface ReadStore extends StoreShare {
  readonly pool: Pool;
}

/** The share of a store that has all partitions. */
export const WHOLE_LOG_SHARE: StoreShare = { place: 1, stores: 1 };

/**
 * Partition p belongs to store p mod n. A list that is extended to a multiple of its length therefore takes partitions
 * from every store and gives it none.
 */
export const serves = ({ place, stores }: StoreShare, partition: number): boolean => partition % stores === place - 1;

/** The read stores of READ_DATABASE_URLS, in its order. */
export const readStoresOf = (urls: readonly string[]): (StoreShare & { readonly url: string })[] =>
  urls.map((url, at) => ({ url, place: at + 1, stores: urls.length }));

/** Returns what connections to a read store are called, by its place if there are several. */
export const storeName = (purpose: string, { place, stores }: StoreShare): string =>
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
export async function assertPlacement(
  on: Queryable,
  share: StoreShare,
  group: Group,
  partitions: number,
): Promise<void> {
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
export function namingStore(error: unknown, { place }: StoreShare): unknown {
  const reason = isUnavailable(error) ? undefined : reasonOf(error);
  if (reason === undefined) return error;
  return new StartFailure(`The database at place ${place} of READ_DATABASE_URLS cannot be used (${reason}).`);
}

/** A read store with the connections that questions are answered on; `pool` is for short statements. */
export interface QuestionStore extends ReadStore {
  readonly questions: Pool;
}

/** Where the read models of a website or link are. */
interface Located {
  readonly store: QuestionStore;
  readonly partition: number;
}

/** Where the read models of several links are. */
export interface LocatedTogether {
  readonly store: QuestionStore;
  readonly partitions: readonly number[];
}

/** A server that does not even refuse connections costs a question no more than this, ms. */
const CONNECT_TIMEOUT_MS = 3_000;
const SHORT_STATEMENT_MS = 5_000;

/** The read stores, and which of them has the read models of what. */
export class ReadStores {
  private partitions: number | undefined;

  constructor(
    readonly all: readonly QuestionStore[],
    private readonly main: Pool,
  ) {}

  static open(urls: readonly string[], main: Pool): ReadStores {
    const stores = readStoresOf(urls).map(({ url, ...share }) => {
      const shared = { url, connectTimeoutMs: CONNECT_TIMEOUT_MS, pipeline: true };
      const short = { max: share.stores === 1 ? 2 : 4, statementTimeoutMs: SHORT_STATEMENT_MS };
      return {
        ...share,
        questions: openPool({ ...shared, name: storeName('api-query', share), max: 8 }),
        pool: openPool({ ...shared, name: storeName('api-store', share), ...short }),
      };
    });
    return new ReadStores(stores, main);
  }

  async locate(id: string): Promise<Located> {
    const partition = partitionOf(id, await this.countPartitions());
    const store = this.all.find((each) => serves(each, partition));
    if (!store) throw new RangeError(`No read store serves partition ${partition}.`);
    return { store, partition };
  }

  /** Undefined where they are in several stores. */
  async locateTogether(ids: readonly string[]): Promise<LocatedTogether | undefined> {
    const located = await Promise.all(ids.map((id) => this.locate(id)));
    const [store, ...others] = new Set(located.map((each) => each.store));
    if (!store || others.length > 0) return undefined;
    return { store, partitions: [...new Set(located.map(({ partition }) => partition))] };
  }

  /** Ids by the connections for short statements to where their read models are. */
  async byPool(ids: readonly string[]): Promise<ReadonlyMap<Pool, readonly string[]>> {
    const found = new Map<Pool, string[]>();
    for (const id of ids) {
      const { pool } = (await this.locate(id)).store;
      found.set(pool, [...(found.get(pool) ?? []), id]);
    }
    return found;
  }

  /** @throws StartFailure for a database that can be reached and has the read models of other partitions */
  async assertPlacements(): Promise<void> {
    const partitions = await this.countPartitions();
    if (this.partitions === undefined) return; // nothing was ever recorded
    assertShares(this.all.length, partitions);
    const check = (store: QuestionStore) =>
      assertPlacement(store.pool, store, 'websites', partitions).catch((error: unknown) => {
        if (isUnavailable(error) || isMissingTable(error)) return; // what it serves is checked by each question
        throw namingStore(error, store);
      });
    await Promise.all(this.all.map(check));
  }

  async close(): Promise<void> {
    await Promise.all(this.all.flatMap(({ questions, pool }) => [questions.end(), pool.end()]));
  }

  private async countPartitions(): Promise<number> {
    this.partitions ??= await readPartitions(this.main);
    return this.partitions ?? 1;
  }
}
