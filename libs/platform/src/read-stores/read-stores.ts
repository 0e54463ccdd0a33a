import type { Pool } from 'pg';
import { isMissingTable, isUnavailable } from '../database/database-errors';
import { openPool } from '../database/pool';
import { readPartitions } from '../intake-log/intake-log-tables';
import { partitionOf } from '../intake-log/intake-log';
import {
  assertPlacement,
  assertShares,
  namingStore,
  type ReadStore,
  readStoresOf,
  serves,
  storeName,
} from './read-store';

/** A read store with the connections that questions are answered on; `pool` is for short statements. */
export interface QuestionStore extends ReadStore {
  readonly questions: Pool;
}

/** Where the read models of a website or link are. */
export interface Located {
  readonly store: QuestionStore;
  readonly partition: number;
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
      const short = { max: 2, statementTimeoutMs: SHORT_STATEMENT_MS };
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
