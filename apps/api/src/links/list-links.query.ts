import { Inject } from '@nestjs/common';
import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import { linkCounts, links } from '@ledgerline/contracts/read-models/registry';
import type { LinkDetails } from '@ledgerline/contracts/events/link.events';
import { wordQuery } from '@ledgerline/domain/links/link-words';
import type { Link } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import { readTransaction, run } from '@ledgerline/platform/database/pool';
import { emptySql, identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Pool, PoolClient } from 'pg';
import { assertMay } from '../auth/assert-may';
import { decidedPosition } from '../http/log-position';
import { unavailable } from '../http/problems';
import { POOL } from '../tokens';
import { cursorAfter, following, orderBy, type Sorted } from './link-order';
import { type ListLinksDto, MAX_COUNTED } from './list-links.dto';
import { RegistryPosition } from './registry-position';

export interface LinkPage {
  readonly links: readonly Link[];
  /** How many there are; of filtered links at least so many, if it is not exact. */
  readonly total: number;
  readonly totalIsExact: boolean;
  /** Of the links that follow; null = none do. */
  readonly nextCursor: string | null;
  /** False when the write it was to include is still missing. */
  readonly isCurrent: boolean;
}

export class ListLinks extends Query<LinkPage> {
  constructor(
    readonly wanted: ListLinksDto,
    readonly caller: Caller,
    /** A log position that the list should include; waited for a short time. */
    readonly minPosition?: string,
  ) {
    super();
  }
}

interface Row extends Sorted {
  readonly details: LinkDetails;
  readonly created_by: string;
  readonly revision: number;
}

@QueryHandler(ListLinks)
export class ListLinksHandler implements IQueryHandler<ListLinks> {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly position: RegistryPosition,
  ) {}

  async execute({ wanted, caller, minPosition }: ListLinks): Promise<LinkPage> {
    assertMay(caller, 'links:read', { organizationId: wanted.organizationId });
    const position = decidedPosition(minPosition);
    const isCurrent = position === undefined || (await this.position.hasReached(position));
    const page = await readTransaction(this.pool, SNAPSHOT, (client) => readPage(client, wanted));
    return { ...page, isCurrent };
  }
}

const SNAPSHOT = 'begin isolation level repeatable read read only; set local jit = off';

async function readPage(client: PoolClient, wanted: ListLinksDto): Promise<Omit<LinkPage, 'isCurrent'>> {
  const rest = following(wanted.sort, wanted.cursor);
  const schema = await liveSchema(client);
  const table = identifier(schema, links.name);
  const from = sql`from ${table} where ${matching(wanted)}`;
  const [counted, rows] = await Promise.all([
    run<{ total: number }>(client, isFiltered(wanted) ? countOf(from) : countOfAll(schema, wanted)),
    run<Row>(
      client,
      sql`
        select id, details, created_by, created_at, updated_at, revision from ${table} where id in (
          select id ${from} ${rest} order by ${orderBy(wanted.sort)}
          limit ${wanted.limit + 1} offset ${wanted.cursor === undefined ? (wanted.page - 1) * wanted.limit : 0}
        ) order by ${orderBy(wanted.sort)}`, // what is skipped is only read from an index
    ),
  ]);
  const total = counted[0]?.total ?? 0;
  const page = rows.slice(0, wanted.limit);
  const last = page.at(-1);
  return {
    links: page.map(linkOf),
    total: isFiltered(wanted) ? Math.min(total, MAX_COUNTED) : total,
    totalIsExact: !isFiltered(wanted) || total <= MAX_COUNTED,
    nextCursor: last && rows.length > page.length ? cursorAfter(wanted.sort, last) : null,
  };
}

async function liveSchema(client: PoolClient): Promise<string> {
  const group = sql`select live_version from projection_groups where name = 'registry'`;
  const [live] = await run<{ live_version: number }>(client, group);
  if (!live) throw unavailable();
  return schemaOf('registry', live.live_version);
}

const isFiltered = ({ externalId, search }: ListLinksDto): boolean => externalId !== undefined || search !== undefined;

const countOf = (from: Sql): Sql =>
  sql`select count(*)::integer as total from (select ${from} limit ${MAX_COUNTED + 1}) as counted`;

const countOfAll = (schema: string, { organizationId }: ListLinksDto): Sql => sql`
  select links::integer as total from ${identifier(schema, linkCounts.name)} where organization_id = ${organizationId}`;

const matching = ({ organizationId, externalId, search }: ListLinksDto): Sql => sql`
  organization_id = ${organizationId}
  ${externalId === undefined ? emptySql : sql`and external_id = ${externalId}`}
  ${search === undefined ? emptySql : sql`and words @@ ${wordQuery(organizationId, search)}::tsquery`}`;

const linkOf = ({ id, details, created_by, created_at, updated_at, revision }: Row): Link => ({
  id,
  ...details,
  createdBy: created_by,
  createdAt: created_at,
  updatedAt: updated_at,
  revision,
});
