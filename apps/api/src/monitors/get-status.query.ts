import type { Monitor } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import { overallStatus, type OverallStatus } from '@ledgerline/domain/monitors/status';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { ManagedMonitors } from './managed-monitors';
import { MonitorStatuses, type MonitorReport } from './monitor-statuses';

/** The monitors of an organization that the caller may read, the oldest first. */
export class ListMonitors extends Query<readonly Monitor[]> {
  constructor(
    readonly organizationId: string,
    readonly caller: Caller,
  ) {
    super();
  }
}

@QueryHandler(ListMonitors)
export class ListMonitorsHandler implements IQueryHandler<ListMonitors> {
  constructor(private readonly monitors: ManagedMonitors) {}

  execute({ organizationId, caller }: ListMonitors): Promise<readonly Monitor[]> {
    return Promise.resolve(this.monitors.of(organizationId, caller));
  }
}

interface Status {
  readonly overallStatus: OverallStatus;
  readonly monitors: readonly MonitorReport[];
}

/** How the monitors of an organization are now, or one of them. */
export class GetStatus extends Query<Status> {
  constructor(
    readonly organizationId: string,
    readonly caller: Caller,
    readonly monitorId?: string,
  ) {
    super();
  }
}

@QueryHandler(GetStatus)
export class GetStatusHandler implements IQueryHandler<GetStatus> {
  constructor(
    private readonly monitors: ManagedMonitors,
    private readonly statuses: MonitorStatuses,
  ) {}

  async execute({ organizationId, caller, monitorId }: GetStatus): Promise<Status> {
    const wanted =
      monitorId === undefined
        ? this.monitors.of(organizationId, caller)
        : [await this.monitors.find(monitorId, caller, 'monitors:read')];
    const monitors = await this.statuses.of(wanted);
    return { overallStatus: overallStatus(monitors.map(({ currentStatus }) => currentStatus)), monitors };
  }
}
