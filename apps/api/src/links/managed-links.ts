import { Inject, Injectable } from '@nestjs/common';
import { organizationsOf, type Caller } from '@ledgerline/domain/access/caller';
import type { Action } from '@ledgerline/domain/access/permissions';
import type { Link } from '@ledgerline/contracts/records';
import { linkOf } from '@ledgerline/domain/registry/link';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { readLinkEvents } from '@ledgerline/platform/registry/read-link-events';
import { assertMay } from '../auth/assert-may';
import { notFound } from '../http/problems';
import { EVENT_STORE } from '../tokens';

const ID = /^\w{1,64}$/;

/** Links as those who may read or change them find them: in their streams, so that every write is included. */
@Injectable()
export class ManagedLinks {
  constructor(
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly live: LiveRegistry,
  ) {}

  /**
   * A link of any other organization does not exist for the caller. One that a restored store lacks may be lost.
   * @throws Problem NOT_FOUND or FORBIDDEN · LogReplaced
   */
  async find(id: string, caller: Caller, action: Action): Promise<Link> {
    const organizations = ID.test(id) ? organizationsOf(caller) : [];
    const found = await Promise.all(organizations.map((each) => readLinkEvents(this.store, each, id)));
    const link = found.map(linkOf).find((each) => each !== undefined);
    if (!link) await this.live.assertContinues();
    if (!link) throw notFound('Link');
    assertMay(caller, action, { organizationId: link.organizationId }, 'Link');
    return link;
  }
}
