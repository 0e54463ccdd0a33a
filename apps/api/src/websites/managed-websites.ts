import type { Website } from '@ledgerline/contracts/records';
import { Injectable } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import type { Action } from '@ledgerline/domain/access/permissions';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { assertMay } from '../auth/assert-may';
import { notFound } from '../http/problems';

/** Websites as those who may read or change them find them. */
@Injectable()
export class ManagedWebsites {
  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
  ) {}

  /** Also a website that another process registered a moment ago. @throws Problem NOT_FOUND or FORBIDDEN */
  async find(id: string, caller: Caller, action: Action): Promise<Website> {
    if (!this.registry.website(id)) await this.live.catchUp();
    const website = this.registry.website(id);
    if (!website) throw notFound('Website');
    assertMay(caller, action, { organizationId: website.organizationId, websiteId: id }, 'Website');
    return website;
  }

  /** @throws Problem NOT_FOUND for no website of the organization */
  async assertOf(organizationId: string, websiteId: string): Promise<void> {
    if (!this.registry.website(websiteId)) await this.live.catchUp();
    if (this.registry.website(websiteId)?.organizationId !== organizationId) throw notFound('Website');
  }
}
