import type { Caller } from '@ledgerline/domain/access/caller';
import { MONITOR_STATUSES, overallStatus, type OverallStatus } from '@ledgerline/domain/monitors/status';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { list, object, text, whole, yes } from '../http/json-schema';
import { Records } from '../resources/resource.queries';
import { MonitorStatuses, type MonitorReport } from './monitor-statuses';
import { Monitors } from './monitors';

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
    private readonly monitors: Monitors,
    private readonly found: Records,
    private readonly statuses: MonitorStatuses,
  ) {}

  async execute({ organizationId, caller, monitorId }: GetStatus): Promise<Status> {
    const wanted =
      monitorId === undefined
        ? this.found.list(this.monitors, { organizationId }, caller)
        : [await this.found.find(this.monitors, monitorId, caller)];
    const monitors = await this.statuses.of(wanted);
    return { overallStatus: overallStatus(monitors.map(({ currentStatus }) => currentStatus)), monitors };
  }
}

const orNull = (type: string) => ({ type: [type, 'null'] });
const timeOrNull = { ...orNull('string'), format: 'date-time' };
const epochOrNull = { type: ['integer', 'null'] };

export const MONITOR_DAY = object({
  date: { ...text, format: 'date' },
  uptime_percentage: { ...orNull('number'), description: 'Null = no check counts' },
  total_checks: whole,
  avg_response_time: { ...orNull('number'), description: 'In ms, of checks that did not fail' },
  p95_response_time: { ...orNull('number'), description: 'Within 1 %' },
});

const MONITOR_REPORT = object({
  id: text,
  name: text,
  currentStatus: { ...text, enum: MONITOR_STATUSES },
  lastCheckedAt: timeOrNull,
  failure: { ...orNull('string'), description: 'Why the newest check failed' },
  warning: { ...orNull('string'), description: 'What is not well although it is up: slow, certificate or tls' },
  detail: { ...orNull('string'), description: 'The failure or the warning in a sentence' },
  certificateExpiresAt: timeOrNull,
  downSince: timeOrNull,
  uptimePercentage: { ...orNull('number'), description: 'Of all days' },
  dailyData: { ...list(MONITOR_DAY), description: '90 days of UTC up to today' },
  downtimes: {
    ...list(object({ startedAt: whole, endedAt: epochOrNull })),
    description: 'In ms of Unix time, the oldest first; null = it goes on',
  },
});

/** The schema of the reports on the monitors of an organization. */
export const MONITOR_REPORTS = object({ success: yes, data: list(MONITOR_REPORT), total: whole });
