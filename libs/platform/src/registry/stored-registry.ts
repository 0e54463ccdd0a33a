import type { RegistryRecord, Invitation, Member, Organization, RegistryState } from '@ledgerline/contracts/records';
import type { ApiKeyDetails } from '@ledgerline/contracts/events/api-key.events';
import type { FlagDetails } from '@ledgerline/contracts/events/flag.events';
import type { OAuthGrantDetails } from '@ledgerline/contracts/events/oauth-grant.events';
import type { WebsiteDetails } from '@ledgerline/contracts/events/website.events';
import {
  apiKeys,
  flags,
  invitations,
  members,
  oauthGrants,
  organizations,
  websites,
} from '@ledgerline/contracts/read-models/registry';
import type { Pool, PoolClient } from 'pg';
import { orUnavailable } from '../database/database-errors';
import { run, transaction, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import type { EventStore } from '../event-store/event-store';
import type { Cursor } from '../log/log-reader';
import { findRegistryTables, type RegistryTables } from './registry-tables';

/** The registry as its read models hold it. */
export interface StoredRegistry extends RegistryState {
  /** Everything up to this event is included. */
  readonly cursor: Cursor;
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
  const epoch = await store.epoch();
  const read = async (client: PoolClient) => {
    const tables = await findRegistryTables(client, epoch);
    return tables && { ...(await readRows(client, tables)), cursor: tables.cursor };
  };
  const stored = await orUnavailable('The registry', () => transaction(pool, read, SNAPSHOT));
  const isAhead = stored !== undefined && store.compare(stored.cursor, await store.head(0)) > 0;
  return isAhead ? undefined : stored;
}

export async function readRows(
  client: Queryable,
  { table }: Pick<RegistryTables, 'table'>,
): Promise<Omit<StoredRegistry, 'cursor'>> {
  const owned = sql`left join ${table(organizations)} o on o.id = organization_id where o.deleted_at is null`;
  const history = sql`t.created_at as "createdAt", t.updated_at as "updatedAt", t.revision`;
  const stored = {
    organizations: await run<Omit<Organization, 'ownerId'>>(
      client,
      sql`select id, name, ${history} from ${table(organizations)} t where deleted_at is null`,
    ),
    deleted: await run<{ id: string }>(
      client,
      sql`select id from ${table(organizations)} where deleted_at is not null`,
    ),
    members: await run<Member & Record<string, unknown>>(
      client,
      sql`select organization_id as "organizationId", user_id as "userId", role, joined_at as "joinedAt",
          joined_revision as "joinedRevision", role_revision as "roleRevision"
        from ${table(members)} ${owned} order by organization_id, joined_revision`,
    ),
    invitations: await run<Invitation & Record<string, unknown>>(
      client,
      sql`select t.id, organization_id as "organizationId", role, invited_by as "invitedBy",
          to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "expiresAt",
          t.created_at as "createdAt", t.created_at as "updatedAt", t.revision
        from ${table(invitations)} t ${owned} order by organization_id, t.revision`,
    ),
    websites: await run<WebsiteRow>(
      client,
      sql`select t.id, details, ${history} from ${table(websites)} t ${owned} order by t.created_at, t.id`,
    ),
    flags: await run<FlagRow>(
      client,
      sql`select t.id, details, ${history} from ${table(flags)} t ${owned} order by t.created_at, t.id`,
    ),
    keys: await run<KeyRow>(
      client,
      sql`select t.id, details, enabled, start, secret_id as "secretId", revoked_at as "revokedAt", ${history}
        from ${table(apiKeys)} t ${owned} order by t.created_at, t.id`,
    ),
    grants: await run<GrantRow>(
      client,
      sql`select t.id, details, ${history} from ${table(oauthGrants)} t ${owned} order by t.created_at, t.id`,
    ),
  };
  const idOf = ({ id }: { readonly id: string }) => id;
  return {
    ...stored,
    deletedOrganizations: stored.deleted.map(idOf),
    websites: stored.websites.map(({ details, ...entry }) => ({ ...entry, ...details })),
    flags: stored.flags.map(({ details, ...entry }) => ({ ...entry, ...details })),
    keys: stored.keys.map(({ details, ...entry }) => ({ ...entry, ...details })),
    grants: stored.grants.map(({ details, ...entry }) => ({ ...entry, ...details })),
  };
}

type WebsiteRow = RegistryRecord & { readonly details: WebsiteDetails };
type FlagRow = RegistryRecord & { readonly details: FlagDetails };
type GrantRow = RegistryRecord & { readonly details: OAuthGrantDetails };
type KeyRow = RegistryRecord & {
  readonly details: ApiKeyDetails;
  readonly enabled: boolean;
  readonly start: string;
  readonly secretId: string;
  readonly revokedAt: Date | null;
};
