import { Inject } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import { readTransaction } from '@ledgerline/platform/database/pool';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { assertMay } from '../auth/assert-may';
import type { AwaitedPosition } from '../http/log-position';
import { POOL } from '../tokens';
import { type LinkPage, readLinkPage } from './link-page';
import type { WantedLinks } from './list-links.dto';
import { RegistryPosition } from './registry-position';

export interface LinkList extends LinkPage {
  /** False when the write it was to include is still missing. */
  readonly isCurrent: boolean;
}

export class ListLinks extends Query<LinkList> {
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
  ) {}

  async execute({ wanted, caller, minPosition }: ListLinks): Promise<LinkList> {
    assertMay(caller, 'links:read', { organizationId: wanted.organizationId });
    const { decided, until = 0 } = minPosition ?? {};
    const isCurrent = decided === undefined || (await this.position.hasReached(decided, until));
    const page = await readTransaction(this.pool, SNAPSHOT, (client) => readLinkPage(client, wanted));
    return { ...page, isCurrent };
  }
}

const SNAPSHOT = 'begin isolation level repeatable read read only; set local jit = off';
