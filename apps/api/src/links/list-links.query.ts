import { setTimeout } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { linkCounts, RECORD_TABLES } from '@ledgerline/contracts/read-models/registry';
import type { Link, RecordOf, StoredRecords } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import { withDetails } from '@ledgerline/domain/registry/record-changes';
import { readTransaction, run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { liveTables, orRebuilding, OWN_GROUPS } from '@ledgerline/platform/table-versions/live-tables';
import type { AwaitedPosition } from '../http/log-position';
import { unavailableProblem } from '../http/problems';
import { assertMay } from '../http/route';
import { EVENT_STORE, POOL } from '../tokens';
import { cursorAfter, LinkRows, matching } from './link-rows';
import { Links } from './links';
import { linkPageDto, MAX_COUNTED, type LinkPageDto, type WantedLinks } from './list-links.dto';

const POLL_MS = 20;

/** Knows how far the read models of the registry are. */
@Injectable()
export class RegistryPosition {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: Pick<EventStore, 'compare'>,
  ) {}

  /** True as soon as they include this position, false when the time is over (by `performance.now()`). */
  async hasReached(position: Cursor, until: number): Promise<boolean> {
    for (;;) {
      const cursor = await this.read();
      if (cursor !== undefined && this.store.compare(cursor, position) >= 0) return true;
      if (performance.now() + POLL_MS > until) return false;
      await setTimeout(POLL_MS);
    }
  }

  /** Returns whether they include what a request awaits, if it awaits anything. */
  async includes({ decided, until = 0 }: Partial<AwaitedPosition> = {}): Promise<boolean> {
    return decided === undefined || this.hasReached(decided, until);
  }

  private async read(): Promise<Cursor | undefined> {
    const live = sql`
      select c.cursor from ${OWN_GROUPS} g
      join projection_checkpoints c on c.projection_group = g.name and c.version = g.live_version
      where g.name = 'registry'`;
    return (await run<{ cursor: Cursor }>(this.pool, live))[0]?.cursor;
  }
}

export class ListLinks extends Query<LinkPageDto> {
  constructor(
    readonly wanted: WantedLinks,
    readonly caller: Caller,
    /** A log position that the list should include; waited for a short time. */
    readonly minPosition?: AwaitedPosition,
  ) {
    super();
  }
}

@QueryHandler(ListLinks)
export class ListLinksHandler implements IQueryHandler<ListLinks> {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly position: RegistryPosition,
    private readonly links: Links,
  ) {}

  async execute({ wanted, caller, minPosition }: ListLinks): Promise<LinkPageDto> {
    assertMay(caller, 'links:read', { organizationId: wanted.organizationId });
    const isCurrent = await this.position.includes(minPosition);
    const page = await readTransaction(this.pool, SNAPSHOT, (client) => readLinkPage(client, wanted));
    return linkPageDto(this.links.records(page.links), { ...page, isCurrent }, wanted);
  }
}

/** The links that have a tag. */
export interface TaggedLinks {
  /** By name. */
  readonly ids: readonly string[];
  /** False when the write they were to include is still missing. */
  readonly isCurrent: boolean;
}

/** Finds the links of a tag. */
@Injectable()
export class LinksOfTags {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly position: RegistryPosition,
  ) {}

  /** Undefined when there are more than so many. @throws RebuildingProblem */
  async find(
    { id: tagId, organizationId }: RecordOf<'tags'>,
    max: number,
    minPosition?: AwaitedPosition,
  ): Promise<TaggedLinks | undefined> {
    const isCurrent = await this.position.includes(minPosition);
    const found = await readTransaction(this.pool, SNAPSHOT, async (client) => {
      const { links } = await linkTables(client);
      const wanted = matching({ organizationId, tagId });
      return run<{ id: string }>(
        client,
        sql`select id from ${links} where ${wanted} order by name, id limit ${max + 1}`,
      );
    });
    return found.length > max ? undefined : { ids: found.map(({ id }) => id), isCurrent };
  }
}

const SNAPSHOT = 'begin isolation level repeatable read read only; set local jit = off';

/** The part of a {@link LinkPageDto} that is found. */
interface LinkPage {
  readonly links: readonly Link[];
  readonly total: number;
  readonly totalIsExact: boolean;
  readonly nextCursor: string | null;
}

/** The number of links that a filtered list counts, and how many it reads in its order instead of counting. */
interface LinkPageLimits {
  readonly maxCounted: number;
  readonly maxWalked: number;
}

const LIMITS: LinkPageLimits = { maxCounted: MAX_COUNTED, maxWalked: 20_000 };
/** Estimates of less than so many times what is counted are no reason not to count. */
const ESTIMATE_MARGIN = 1.5;

interface Found {
  readonly rows: readonly StoredRecords['links'][];
  readonly total: number;
  readonly isExact: boolean;
}

/**
 * One page from one snapshot. Filters that leave few links are answered from all that they leave; where they leave many,
 * the links are walked in the order of the list until the page is full, and the total is not exact.
 */
export async function readLinkPage(on: Queryable, wanted: WantedLinks, limits = LIMITS): Promise<LinkPage> {
  const tables = await linkTables(on);
  const rows = new LinkRows(on, tables.links, wanted);
  const { externalId, tagId, search } = wanted;
  const isFiltered = [externalId, tagId, search].some((filter) => filter !== undefined);
  const found = isFiltered
    ? await filteredPage(rows, wanted.limit, limits)
    : await unfilteredPage(rows, countOf(on, tables.counts, wanted));
  const page = found.rows.slice(0, wanted.limit).map(withDetails);
  const last = page.at(-1);
  return {
    links: page,
    total: found.total,
    totalIsExact: found.isExact,
    nextCursor: last && found.rows.length > page.length ? cursorAfter(wanted.sort, last) : null,
  };
}

/** @throws RebuildingProblem */
async function linkTables(on: Queryable): Promise<{ readonly links: Sql; readonly counts: Sql }> {
  const tables = await liveTables(on, 'registry');
  if (!tables) throw unavailableProblem();
  return orRebuilding(on, () => ({
    links: tables.wholeTable(RECORD_TABLES.links),
    counts: tables.wholeTable(linkCounts),
  }));
}

/** Estimates only decide whether to walk first: a walk that does not soon fill the page contradicts them. */
async function filteredPage(links: LinkRows, limit: number, { maxCounted, maxWalked }: LinkPageLimits): Promise<Found> {
  const many = { total: maxCounted, isExact: false };
  if ((await links.estimated()) >= maxCounted * ESTIMATE_MARGIN) {
    const rows = await links.walkedAmong(maxWalked);
    if (rows.length > limit) return { rows, ...many };
  }
  const few = await links.counted(maxCounted);
  return few ? { ...few, isExact: true } : { rows: await links.walked(), ...many };
}

async function unfilteredPage(links: LinkRows, count: Promise<number>): Promise<Found> {
  const [rows, total] = await Promise.all([links.walked(), count]);
  return { rows, total, isExact: true };
}

async function countOf(on: Queryable, counts: Sql, { organizationId }: WantedLinks): Promise<number> {
  const query = sql`select links::integer as total from ${counts} where organization_id = ${organizationId}`;
  const [count] = await run<{ total: number }>(on, query);
  return count?.total ?? 0;
}
