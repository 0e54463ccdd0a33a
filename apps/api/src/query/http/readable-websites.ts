import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { type Caller, may, organizationsOf } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';

export interface ReadableWebsites {
  readonly success: true;
  readonly websites: readonly ReadableWebsite[];
  readonly total: number;
}

interface ReadableWebsite {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
  readonly isPublic: boolean;
  readonly organizationId: string;
  readonly createdAt: string;
}

/** The websites that the caller may query. */
export class ListReadableWebsites extends Query<ReadableWebsites> {
  constructor(readonly caller: Caller) {
    super();
  }
}

@QueryHandler(ListReadableWebsites)
export class ListReadableWebsitesHandler implements IQueryHandler<ListReadableWebsites> {
  constructor(private readonly registry: Registry) {}

  execute({ caller }: ListReadableWebsites): Promise<ReadableWebsites> {
    const websites = organizationsOf(caller)
      .flatMap((organizationId) => this.registry.list('websites', organizationId))
      .filter((website) =>
        may(caller, 'websites:read', { organizationId: website.organizationId, websiteId: website.id }),
      )
      .map(({ id, name, domain, isPublic, organizationId, createdAt }) => {
        return { id, name, domain, isPublic, organizationId, createdAt: createdAt.toISOString() };
      });
    return Promise.resolve({ success: true, websites, total: websites.length });
  }
}
