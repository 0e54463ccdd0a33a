import type { Pool } from 'pg';
import { EventStoreDbEventStore } from '@ledgerline/eventstoredb/eventstoredb-event-store';
import { openPool } from '@ledgerline/platform/database/pool';
import { addPublicKey } from '@ledgerline/platform/event-store/head-signer';
import { readSealingFaults } from '@ledgerline/platform/event-store/verify-chain';
import { createTestDatabase, type TestDatabase } from '../../postgres/test-database';
import { waitUntil } from '../../wait-until';
import { appended, event, freshStream, sealing } from '../laws/harness';
import { statedHead } from '../stated-head';
import { EventStoreDbDouble } from './eventstoredb-double';

/** A double with stores on it, and the Postgres in which sealers keep their heads and faults. */
export class SealingScene {
  private readonly stores: EventStoreDbEventStore[] = [];

  private constructor(
    private readonly database: TestDatabase,
    readonly double: EventStoreDbDouble,
    readonly pool: Pool,
  ) {}

  static async start(): Promise<SealingScene> {
    const database = await createTestDatabase();
    const pool = openPool({ url: database.url, name: 'spec', max: 4 });
    await addPublicKey(pool, sealing.key);
    return new SealingScene(database, await EventStoreDbDouble.start(), pool);
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  async open(options?: Parameters<typeof EventStoreDbEventStore.open>[1]): Promise<EventStoreDbEventStore> {
    const store = await EventStoreDbEventStore.open(this.double.url, options);
    this.stores.push(store);
    return store;
  }

  /** `ownOnly` as in the product. */
  sealer(ownOnly = false): Promise<EventStoreDbEventStore> {
    return this.open({ seal: { ...sealing, ownOnly, database: this.pool } });
  }

  /** In a stream of their own, as soon as the server takes them. */
  async record(store: EventStoreDbEventStore, organization: string, count: number): Promise<void> {
    const events = Array.from({ length: count }, (_, n) => event({ n }));
    const stream = freshStream(organization);
    await waitUntil(() => appended(store, stream, 'no-stream', events).catch(() => undefined));
  }

  async sealedUpTo(organization: string, revision: number): Promise<void> {
    await waitUntil(
      () => statedHead(this.pool, organization),
      (head) => head?.revision === revision,
    );
  }

  async faults(): Promise<Record<string, string>> {
    const rows = await readSealingFaults(this.pool);
    return Object.fromEntries(rows.map(({ organization, reason }) => [organization, reason]));
  }

  async stop(): Promise<void> {
    await Promise.all(this.stores.map((store) => store.close()));
    this.double.stop();
    await this.pool.end();
    await this.database.drop();
  }
}
