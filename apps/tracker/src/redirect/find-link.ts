import { Registry, type Link } from '@ledgerline/domain/registry/registry';
import { isReservedSlug, isSlug } from '@ledgerline/domain/links/reserved-slugs';
import { asDecided, type EventStore } from '@ledgerline/platform/event-store/event-store';

/** Links from the registry in memory; a slug that is not there is looked up in the event store. */
export class Links {
  constructor(
    private readonly registry: Pick<Registry, 'linkBySlug' | 'isDeleted'>,
    private readonly store: Pick<EventStore, 'readStream'>,
  ) {}

  /** Undefined for a slug that is not in memory. */
  inMemory(slug: string): Link | undefined {
    return this.registry.linkBySlug(slug);
  }

  /** @throws LogUnavailable when the store cannot be reached */
  async inStore(slug: string): Promise<Link | undefined> {
    if (!isSlug(slug) || isReservedSlug(slug)) return undefined;
    const found = new Registry();
    for (const event of await this.store.readStream(`global-slug-${slug}`)) {
      const reserved = asDecided(event);
      if (reserved.type !== 'SlugReserved') continue;
      const { organizationId, linkId } = reserved.data;
      if (this.registry.isDeleted(organizationId)) return undefined;
      for (const each of await this.store.readStream(`${organizationId}-link-${linkId}`)) found.apply(asDecided(each));
    }
    return found.linkBySlug(slug);
  }
}
