import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { EventStoreDBClient } from '@eventstore/db-client';
import type { Pool } from 'pg';
import { SEAL_TYPE, headOf, signSeal } from '@ledgerline/eventstoredb/seal';
import { BEFORE_FIRST, chainHash } from '@ledgerline/platform/event-store/appended-events';
import { type EventStore, historyEntries } from '@ledgerline/platform/event-store/event-store';
import { addPublicKey } from '@ledgerline/platform/event-store/head-signer';
import { signHead } from '@ledgerline/platform/event-store/head-statement';
import { keepSealedHead } from '../keep-sealed-head';
import type { EventStoreDbDouble } from './eventstoredb-double';

interface Attacked {
  readonly double: EventStoreDbDouble;
  readonly driver: EventStoreDBClient;
  readonly store: EventStore;
  readonly database: Pool;
}

/** An attacker who may write to EventStoreDB and Postgres, with a key that is not the installation's. */
export class Forger {
  private readonly key = generateKeyPairSync('ed25519').privateKey;

  constructor(private readonly attacked: Attacked) {}

  /** Hides the events of a stream, and puts others with another name in their places. */
  async rewrite(stream: string): Promise<void> {
    const { log } = this.attacked.double;
    const hidden = log.of(stream);
    await this.attacked.driver.setStreamMetadata(stream, { truncateBefore: hidden.length });
    for (const event of hidden) {
      const data = { ...(JSON.parse(Buffer.from(event.data).toString()) as object), name: 'Forged' };
      this.append(stream, { ...event, id: randomUUID(), data: Buffer.from(JSON.stringify(data)) });
    }
  }

  /** Seals the history as it is shown with the own key, which the database lists, with the head in it. */
  async seal(organization: string): Promise<void> {
    const { double, database } = this.attacked;
    await addPublicKey(database, this.key);
    const entries = await this.shown(organization);
    let { hash: previousHash } = BEFORE_FIRST;
    const places = entries.map((entry) => [entry.id, (previousHash = chainHash(entry, previousHash))] as const);
    const stream = sealsOf(organization);
    const begin = double.log.lastOf(stream) + 1;
    const chained = { organization, from: 0, previousHash: BEFORE_FIRST.hash, places, begin };
    const cursor = entries.at(-1)!.cursor.split('@', 1).join();
    const seal = signSeal(this.key, { ...chained, cursor }, new Date());
    const rest = { type: SEAL_TYPE, contentType: 'application/json', metadata: Buffer.from('{}') };
    this.append(stream, { id: randomUUID(), data: Buffer.from(JSON.stringify(seal)), ...rest });
    await keepSealedHead(database, signHead(this.key, organization, headOf(seal), new Date()));
  }

  private append(stream: string, event: Parameters<EventStoreDbDouble['log']['append']>[2][number]): void {
    const { log } = this.attacked.double;
    log.append(stream, log.lastOf(stream), [event]);
  }

  /** The oldest first. */
  private async shown(organization: string) {
    const entries = [];
    for await (const entry of historyEntries(this.attacked.store, organization, 100)) entries.unshift(entry);
    return entries;
  }
}

export const sealsOf = (organization: string): string => `ledgerline-seals_${organization}`;
