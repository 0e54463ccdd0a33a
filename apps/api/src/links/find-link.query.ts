import type { Caller } from '@ledgerline/domain/access/caller';
import type { Action } from '@ledgerline/domain/access/permissions';
import type { Link } from '@ledgerline/contracts/records';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { ManagedLinks } from './managed-links';

/** One link, with every write included. */
export class FindLink extends Query<Link> {
  constructor(
    readonly linkId: string,
    readonly caller: Caller,
    /** What the caller must be allowed to do with it. */
    readonly action: Action = 'links:read',
  ) {
    super();
  }
}

@QueryHandler(FindLink)
export class FindLinkHandler implements IQueryHandler<FindLink> {
  constructor(private readonly links: ManagedLinks) {}

  execute({ linkId, caller, action }: FindLink): Promise<Link> {
    return this.links.find(linkId, caller, action);
  }
}
