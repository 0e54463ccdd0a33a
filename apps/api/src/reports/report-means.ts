import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Report } from '@ledgerline/contracts/records';
import { ANONYMOUS, type Caller, may } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import { isInstallation } from '@ledgerline/platform/deliveries/sender-state';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { ChangeRecord } from '../commands/resource.commands';
import { EVENT_STORE, POOL, SETTINGS } from '../tokens';
import { Reports } from './reports';

/** What a schedule of reports knows and may do, by the registry and the installation. */
@Injectable()
export class ReportMeans {
  readonly publicApiUrl: string;

  constructor(
    @Inject(SETTINGS) { publicApiUrl }: Pick<Settings, 'publicApiUrl'>,
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: Pick<EventStore, 'epoch'>,
    readonly registry: Registry,
    private readonly live: LiveRegistry,
  ) {
    this.publicApiUrl = publicApiUrl;
  }

  @Inject(CommandBus)
  private readonly commands: CommandBus;

  /** Not in a copy, which stays silent, nor before the registry is known. */
  async maySend(hasReports: boolean): Promise<boolean> {
    if (!hasReports || !this.live.isCaughtUp) return false;
    return isInstallation(this.pool, { publicApiUrl: this.publicApiUrl, epoch: await this.store.epoch() });
  }

  /** Undefined where the person who answers for a report may not send it any more. */
  callerOf({ organizationId, ownerId }: Report): Caller | undefined {
    const role = this.registry.member(organizationId, ownerId)?.role;
    if (role === undefined) return undefined;
    const caller: Caller = { kind: 'user', id: ownerId, roles: new Map([[organizationId, role]]) };
    return may(caller, 'reports:write', { organizationId }) ? caller : undefined;
  }

  async pause(report: Report): Promise<void> {
    await this.commands.execute(new ChangeRecord(Reports, report, { enabled: false }, { caller: ANONYMOUS }));
  }
}
