import { Injectable } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { CheckFailure, CheckWarning } from '@ledgerline/contracts/events/observed-events';
import type { Monitor } from '@ledgerline/contracts/records';
import { binValue } from '@ledgerline/contracts/sessions/session';
import type { Caller } from '@ledgerline/domain/access/caller';
import {
  type Downtime,
  MONITOR_STATUSES,
  type MonitorStatus,
  type OverallStatus,
  isDown,
  isStale,
  monitorStatus,
  overallStatus,
  uptimePercentage,
} from '@ledgerline/domain/monitors/status';
import { Registry } from '@ledgerline/domain/registry/registry';
import { monitorsUnderMaintenance } from '@ledgerline/domain/status-pages/overall';
import { addDays, dayOf } from '@ledgerline/domain/time/zones';
import { ReadStores } from '@ledgerline/platform/read-stores/read-stores';
import { Records } from '../commands/resource.queries';
import { arraySchema, object, text, whole, yes } from '../http/record.dto';
import { binsAtRanks, histogramCounts } from '../query/sql/histograms';
import { type MonitorDay, readMonitorHistory } from './monitor-history';
import { Monitors } from './monitors';

/** The report of how a monitor is, and was on each of the last days of UTC. */
export interface MonitorReport {
  readonly id: string;
  readonly name: string;
  readonly currentStatus: MonitorStatus;
  readonly lastCheckedAt: string | null;
  /** Why the newest check failed. */
  readonly failure: CheckFailure | null;
  /** The fault of a monitor whose newest check was up nevertheless. */
  readonly warning: CheckWarning | null;
  /** Both in a sentence. */
  readonly detail: string | null;
  readonly certificateExpiresAt: string | null;
  readonly downSince: string | null;
  /** The uptime of the days; null = no check counts. */
  readonly uptimePercentage: number | null;
  readonly dailyData: readonly DailyReport[];
  /**
   * The downtimes that began on one of the days; one that was not seen to end ended with the last check if there are
   * none any more.
   */
  readonly downtimes: readonly Downtime[];
}

/** Times in ms; null = there was no check that counts. */
interface DailyReport {
  readonly date: string;
  readonly uptime_percentage: number | null;
  readonly total_checks: number;
  readonly avg_response_time: number | null;
  readonly p95_response_time: number | null;
}

export const REPORTED_DAYS = 90;
const P95 = 0.95;

/** Reads what people see of monitors. */
@Injectable()
export class MonitorStatuses {
  constructor(
    private readonly stores: ReadStores,
    private readonly registry: Registry,
  ) {}

  /** In their order. @throws ReadStoreUnavailable */
  async of(monitors: readonly Monitor[], now = Date.now()): Promise<readonly MonitorReport[]> {
    const first = addDays(dayOf(now, 'UTC'), 1 - REPORTED_DAYS);
    const dates = Array.from({ length: REPORTED_DAYS }, (_, n) => addDays(first, n));
    const ids = monitors.map(({ id }) => id);
    const { states, results, downtimes, days } = await readMonitorHistory(this.stores, ids, first);
    const maintained = new Set(
      [...new Set(monitors.map(({ organizationId }) => organizationId))].flatMap((organizationId) => [
        ...monitorsUnderMaintenance(this.registry, organizationId, now),
      ]),
    );
    return monitors.map(({ id, name, paused }) => {
      const state = states.get(id);
      const { warning = null, detail = null, certificateExpiresAt = null } = results.get(id) ?? {};
      const own = new Map(days.filter((day) => day.id === id).map((day) => [day.date, day]));
      const sum = (count: (day: MonitorDay) => number) => [...own.values()].reduce((all, day) => all + count(day), 0);
      const currentStatus = monitorStatus(state, paused, now, { isMaintained: maintained.has(id), warning });
      return {
        id,
        name,
        currentStatus,
        lastCheckedAt: state ? instant(state.lastAt) : null,
        failure: state?.failure ?? null,
        warning,
        detail,
        certificateExpiresAt: instant(certificateExpiresAt),
        downSince: currentStatus === 'down' && state && isDown(state) ? instant(state.failingSince) : null,
        uptimePercentage: uptimePercentage(
          sum(({ checks }) => checks),
          sum(({ failed }) => failed),
        ),
        dailyData: dates.map((date) => dailyReport(date, own.get(date))),
        downtimes: downtimes
          .filter((downtime) => downtime.id === id)
          .map(({ startedAt, endedAt }) => ({
            startedAt,
            endedAt: endedAt ?? (state && (paused || isStale(state, now)) ? state.lastAt : null),
          })),
      };
    });
  }
}

function dailyReport(date: string, day: MonitorDay | undefined): DailyReport {
  if (!day) return { date, uptime_percentage: null, total_checks: 0, avg_response_time: null, p95_response_time: null };
  const up = day.checks - day.failed;
  const bins = histogramCounts({ added_bins: day.durations, subtracted_bins: null });
  const [bin] = binsAtRanks(bins, [Math.ceil(P95 * bins.size) - 1]);
  return {
    date,
    uptime_percentage: uptimePercentage(day.checks, day.failed),
    total_checks: day.checks,
    avg_response_time: up === 0 ? null : Math.round(day.durationMs / up),
    p95_response_time: bin === undefined ? null : Math.round(binValue(bin)),
  };
}

const instant = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

interface Status {
  readonly overallStatus: OverallStatus;
  readonly monitors: readonly MonitorReport[];
}

/** Asks how the monitors of an organization are now, or one of them. */
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
  dailyData: { ...arraySchema(MONITOR_DAY), description: '90 days of UTC up to today' },
  downtimes: {
    ...arraySchema(object({ startedAt: whole, endedAt: epochOrNull })),
    description: 'In ms of Unix time, the oldest first; null = it goes on',
  },
});

/** The schema of the reports on the monitors of an organization. */
export const MONITOR_REPORTS = object({ success: yes, data: arraySchema(MONITOR_REPORT), total: whole });
