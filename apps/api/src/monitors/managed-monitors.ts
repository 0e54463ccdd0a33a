import { isIP } from 'node:net';
import type { Monitor } from '@ledgerline/contracts/records';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '@ledgerline/domain/access/caller';
import type { Action } from '@ledgerline/domain/access/permissions';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import { isPublicAddress } from '@ledgerline/platform/outbound/public-address';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { assertMay } from '../auth/assert-may';
import { invalid, notFound } from '../http/problems';
import { SETTINGS } from '../tokens';

/** Monitors as those who may read or change them find them. */
@Injectable()
export class ManagedMonitors {
  constructor(
    private readonly registry: Registry,
    private readonly live: LiveRegistry,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Also a monitor that another process created a moment ago. @throws Problem NOT_FOUND or FORBIDDEN */
  async find(id: string, caller: Caller, action: Action): Promise<Monitor> {
    if (!this.registry.monitor(id)) await this.live.catchUp();
    const monitor = this.registry.monitor(id);
    if (!monitor) throw notFound('Monitor');
    assertMay(caller, action, { organizationId: monitor.organizationId }, 'Monitor');
    return monitor;
  }

  /** The oldest first. @throws Problem NOT_FOUND or FORBIDDEN */
  of(organizationId: string, caller: Caller): readonly Monitor[] {
    assertMay(caller, 'monitors:read', { organizationId });
    return this.registry.monitorsOf(organizationId);
  }

  /** Refuses what each check would refuse, as far as that is certain without resolving names. @throws Problem VALIDATION_ERROR */
  assertPublic(url: string): void {
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
    const isPrivate = isIP(host) > 0 ? !isPublicAddress(host) : /(^|\.)localhost\.?$/.test(host);
    if (isPrivate && !this.settings.monitorAllowPrivate)
      throw invalid([{ field: 'url', message: 'url must lead to a public address' }]);
  }
}
