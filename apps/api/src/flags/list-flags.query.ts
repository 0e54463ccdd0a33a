import type { Caller } from '@ledgerline/domain/access/caller';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { ManagedFlags } from './managed-flags';
import type { OpenedFlag } from './open-flag';

/** The flags of an organization that the caller may read, or those of one of its websites. */
export class ListFlags extends Query<readonly OpenedFlag[]> {
  constructor(
    readonly wanted: { readonly organizationId: string; readonly websiteId?: string | undefined },
    readonly caller: Caller,
  ) {
    super();
  }
}

@QueryHandler(ListFlags)
export class ListFlagsHandler implements IQueryHandler<ListFlags> {
  constructor(private readonly flags: ManagedFlags) {}

  execute({ wanted: { organizationId, websiteId }, caller }: ListFlags): Promise<readonly OpenedFlag[]> {
    const readable = this.flags.of(organizationId, caller);
    return this.flags.open(readable.filter((flag) => websiteId === undefined || flag.websiteId === websiteId));
  }
}
