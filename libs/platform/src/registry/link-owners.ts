import { links, organizations } from '@ledgerline/contracts/read-models/registry';
import { run, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import type { EventStore } from '../event-store/event-store';
import { findRegistryTables, type RegistryTables } from './registry-tables';

/** The organizations that have short links, by the read models; none where there are no read models. */
export async function findLinkOwners(on: Queryable, store: Pick<EventStore, 'epoch'>): Promise<readonly string[]> {
  const tables = await findRegistryTables(on, await store.epoch());
  return tables ? readLinkOwners(on, tables) : [];
}

export async function readLinkOwners(
  on: Queryable,
  { table }: Pick<RegistryTables, 'table'>,
): Promise<readonly string[]> {
  const owners = await run<{ id: string }>(
    on,
    sql`select id from ${table(organizations)} o where deleted_at is null
        and exists (select from ${table(links)} where organization_id = o.id)`,
  );
  return owners.map(({ id }) => id);
}
