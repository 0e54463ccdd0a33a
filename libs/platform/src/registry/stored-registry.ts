import type { RegistryState, StoredRecords } from '@ledgerline/contracts/records';
import type { Pool, PoolClient } from 'pg';
import { orUnavailable } from '../database/database-errors';
import { run, transaction, type Queryable } from '../database/pool';
import { sql, type Sql } from '../database/sql';
import type { EventStore } from '../event-store/event-store';
import type { Cursor } from '../log/log-reader';
import { fieldsOf, TABLES } from './record-rows';
import { findRegistryTables, type RegistryTables } from './registry-tables';

/** The registry as its read models hold it. */
export interface StoredRegistry extends RegistryState {
  /** Everything up to this event is included. */
  readonly cursor: Cursor;
  /** Of the event store that it was filled from. */
  readonly epoch: string;
}

const SNAPSHOT = 'begin isolation level repeatable read read only';

/**
 * Reads the registry in one snapshot; undefined where there are no read models of this event store that this program
 * can use.
 * @throws LogUnavailable
 */
export async function readStoredRegistry(
  pool: Pool,
  store: Pick<EventStore, 'epoch' | 'head' | 'compare'>,
): Promise<StoredRegistry | undefined> {
  const stored = await readSnapshot(pool, await store.epoch());
  const isAhead = stored !== undefined && store.compare(stored.cursor, await store.head(0)) > 0;
  return isAhead ? undefined : stored;
}

/** The same of whichever event store the read models were filled from: for while that is away. @throws LogUnavailable */
export function readSnapshot(pool: Pool, epoch?: string): Promise<StoredRegistry | undefined> {
  const read = async (client: PoolClient) => {
    const tables = await findRegistryTables(client, epoch, Object.values(TABLES));
    return tables && { ...(await readRows(client, tables)), cursor: tables.cursor, epoch: tables.epoch };
  };
  return orUnavailable('The registry', () => transaction(pool, read, SNAPSHOT));
}

export async function readRows(client: Queryable, { table }: Pick<RegistryTables, 'table'>): Promise<RegistryState> {
  const of = sql`t`;
  const { organizations } = TABLES;
  const owned = <Kind extends keyof RegistryState>(kind: Kind, order: Sql) =>
    run<StoredRecords[Kind]>(
      client,
      sql`select ${fieldsOf(TABLES[kind], of)} from ${table(TABLES[kind])} t
        left join ${table(organizations)} o on o.id = t.organization_id where o.deleted_at is null order by ${order}`,
    );
  const byCreation = sql`t.created_at, t.id`;
  return {
    organizations: await run<StoredRecords['organizations']>(
      client,
      sql`select ${fieldsOf(organizations, of)} from ${table(organizations)} t`,
    ),
    members: await owned('members', sql`t.organization_id, t.joined_revision`),
    invitations: await owned('invitations', sql`t.organization_id, t.revision`),
    websites: await owned('websites', byCreation),
    flags: await owned('flags', byCreation),
    monitors: await owned('monitors', byCreation),
    statusPages: await owned('statusPages', byCreation),
    incidents: await owned('incidents', byCreation),
    apiKeys: await owned('apiKeys', byCreation),
    oauthGrants: await owned('oauthGrants', byCreation),
  };
}
