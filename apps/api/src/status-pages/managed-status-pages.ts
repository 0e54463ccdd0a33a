import type { Incident, StatusPage } from '@ledgerline/contracts/records';
import { Injectable } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import type { Action } from '@ledgerline/domain/access/permissions';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { assertMay } from '../auth/assert-may';
import { invalid, notFound } from '../http/problems';

/** Status pages and their incidents as those who may read or change them find them. */
@Injectable()
export class ManagedStatusPages {
  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
  ) {}

  /** Also a page that another process created a moment ago. @throws Problem NOT_FOUND or FORBIDDEN */
  async find(id: string, caller: Caller, action: Action): Promise<StatusPage> {
    if (!this.registry.statusPage(id)) await this.live.catchUp();
    const page = this.registry.statusPage(id);
    if (!page) throw notFound('Status page');
    assertMay(caller, action, { organizationId: page.organizationId }, 'Status page');
    return page;
  }

  /** The oldest first. @throws Problem NOT_FOUND or FORBIDDEN */
  of(organizationId: string, caller: Caller): readonly StatusPage[] {
    assertMay(caller, 'status-pages:read', { organizationId });
    return this.registry.statusPagesOf(organizationId);
  }

  /** The oldest first. */
  incidentsOf({ id, organizationId }: StatusPage): readonly Incident[] {
    return this.registry.incidentsOf(organizationId).filter(({ statusPageId }) => statusPageId === id);
  }

  /** @throws Problem NOT_FOUND for no incident of the page */
  async findIncident({ id: pageId }: StatusPage, id: string): Promise<Incident> {
    if (!this.registry.incident(id)) await this.live.catchUp();
    const incident = this.registry.incident(id);
    if (incident?.statusPageId !== pageId) throw notFound('Incident');
    return incident;
  }

  /** A page or an incident, naming only those of its monitors that are not deleted. */
  withoutDeletedMonitors<Naming extends { readonly monitorIds: readonly string[] }>(naming: Naming): Naming {
    return { ...naming, monitorIds: naming.monitorIds.filter((id) => this.registry.monitor(id)) };
  }

  /** @throws Problem VALIDATION_ERROR unless each is a monitor of the organization */
  async assertMonitors(organizationId: string, ids: readonly string[] = []): Promise<void> {
    const isOwn = (id: string) => this.registry.monitor(id)?.organizationId === organizationId;
    if (!ids.every(isOwn)) await this.live.catchUp();
    const others = ids.filter((id) => !isOwn(id));
    const message = `monitorIds must name monitors of the organization; these are none, or were deleted: ${others.join(', ')}`;
    if (others.length > 0) throw invalid([{ field: 'monitorIds', message }]);
  }
}
