import { Inject } from '@nestjs/common';
import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import { links } from '@ledgerline/contracts/read-models/registry';
import type { LinkDetails } from '@ledgerline/contracts/events/link.events';
import type { Link } from '@ledgerline/domain/registry/registry';
import type { Caller } from '@ledgerline/domain/access/caller';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { emptySql, identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Pool, PoolClient } from 'pg';
import { assertMay } from '../auth/assert-may';
import { unavailable } from '../http/problems';
import { POOL } from '../tokens';
import type { LinkSort, ListLinksDto } from './link.dto';

export interface LinkPage {
  readonly links: readonly Link[];
  readonly total: number;
}

export class ListLinks extends Query<LinkPage> {
  constructor(
    readonly wanted: ListLinksDto,
    readonly caller: Caller,
  ) {
    super();
  }
}

interface Row {
  readonly id: string;
  readonly details: LinkDetails;
  readonly created_by: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly revision: number;
}

@QueryHandler(ListLinks)
export class ListLinksHandler implements IQueryHandler<ListLinks> {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute({ wanted, caller }: ListLinks): Promise<LinkPage> {
    assertMay(caller, 'links:read', { organizationId: wanted.organizationId });
    return transaction(this.pool, (client) => page(client, wanted), SNAPSHOT);
  }
}

const SNAPSHOT = 'begin isolation level repeatable read read only';

async function page(client: PoolClient, wanted: ListLinksDto): Promise<LinkPage> {
  const from = sql`from ${await table(client)} where ${matching(wanted)}`;
  const [total] = await run<{ total: number }>(client, sql`select count(*)::integer as total ${from}`);
  const offset = (wanted.page - 1) * wanted.limit;
  const rows = await run<Row>(
    client,
    sql`
      select id, details, created_by, created_at, updated_at, revision ${from}
      order by ${ORDERS[wanted.sort]} limit ${wanted.limit} offset ${offset}`,
  );
  return { links: rows.map(linkOf), total: total?.total ?? 0 };
}

async function table(client: PoolClient): Promise<Sql> {
  const group = sql`select live_version from projection_groups where name = 'registry'`;
  const [live] = await run<{ live_version: number }>(client, group);
  if (!live) throw unavailable();
  return identifier(schemaOf('registry', live.live_version), links.name);
}

const matching = ({ organizationId, externalId, search }: ListLinksDto): Sql => sql`
  organization_id = ${organizationId}
  ${externalId === undefined ? emptySql : sql`and external_id = ${externalId}`}
  ${search === undefined ? emptySql : sql`and (name || ' ' || slug || ' ' || target_url) ilike ${containing(search)}`}`;

const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

const ORDERS: Readonly<Record<LinkSort, Sql>> = {
  '-createdAt': sql`created_at desc, id desc`,
  createdAt: sql`created_at, id`,
  name: sql`name collate "C", id`,
  '-name': sql`name collate "C" desc, id desc`,
};

const linkOf = ({ id, details, created_by, created_at, updated_at, revision }: Row): Link => ({
  id,
  ...details,
  createdBy: created_by,
  createdAt: created_at,
  updatedAt: updated_at,
  revision,
});
