import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { v5 } from 'uuid';
import { derivedEventId } from '@ledgerline/contracts/events/event-id';
import type { ReportReady } from '@ledgerline/contracts/events/observed-events';
import type { Report } from '@ledgerline/contracts/records';
import { ANONYMOUS, type Caller, may } from '@ledgerline/domain/access/caller';
import { inOneLine } from '@ledgerline/domain/messages/message-text';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LONGEST_WAIT_MS, type PastPeriod, lastPeriod } from '@ledgerline/domain/reports/report-period';
import type { Settings } from '@ledgerline/platform/config/settings';
import { isInstallation } from '@ledgerline/platform/deliveries/sender-state';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { pause } from '@ledgerline/platform/log/timing';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { ChangeRecord } from '../commands/resource.commands';
import { IntakeWriter } from '../intake-writer';
import { EVENT_STORE, LOGGER, POOL, SETTINGS } from '../tokens';
import type { ReportContent } from './report-content';
import { ReportFigures } from './report-figures';
import { reportHtml } from './report-mail';
import { ReportState } from './report-state';
import { reportText } from './report-text';
import { Reports } from './reports';

const TICK_MS = 10_000;
/** Ids of notices are derived from what they are about. */
const NAMESPACE = '7c1d3a52-6c35-4bb0-9d0f-0e6a2f8b41d7';

/** Makes each report once it is due and its events are counted: one process at a time, in an installation that sends. */
@Injectable()
export class ReportSchedule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly outage: OutageLog;
  private loop: Promise<void> | undefined;

  constructor(
    private readonly means: ReportMeans,
    private readonly state: ReportState,
    private readonly figures: ReportFigures,
    private readonly intake: IntakeWriter,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.outage = new OutageLog(logger, {
      began: 'reports cannot be made; trying again until they can',
      ended: 'reports are made again',
    });
  }

  onApplicationBootstrap(): void {
    this.loop ??= this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.tick().then(
        () => this.outage.succeeded(),
        (error: unknown) => {
          if (!signal.aborted) this.outage.failed(error);
        },
      );
      await pause(TICK_MS, signal);
    }
  }

  /** Makes what is due at a time (epoch ms). */
  async tick(now = Date.now()): Promise<void> {
    const { registry } = this.means;
    const reports = registry.all('reports');
    if (!(await this.means.maySend(reports.length > 0))) return;
    for (const event of await this.state.waiting()) await this.record(event);
    const settled = await this.state.settled();
    await this.state.forget([...settled.keys()].filter((id) => !registry.find('reports', id)));
    for (const report of reports) {
      if (this.stopping.signal.aborted) return;
      await this.decide(report, settled.get(report.id), now);
    }
  }

  private async decide(report: Report, settled: string | undefined, now: number): Promise<void> {
    const days = lastPeriod(report, now);
    if (settled === undefined) await this.state.begin(report.id, lastPeriod(report, report.createdAt.getTime()).nextDate);
    else if (settled >= days.nextDate) return;
    if (!report.enabled) return this.state.skip(report.id, days.nextDate);
    if (now < days.dueAt) return;
    const caller = this.means.callerOf(report);
    if (!caller) return this.pauseReport(report);
    await this.make(report, days, caller, now);
  }

  private async make(report: Report, days: PastPeriod, caller: Caller, now: number): Promise<void> {
    const claimed = await this.state.claim(report.id, days.nextDate);
    if (!claimed) return;
    const { publicApiUrl } = this.means;
    try {
      const onProgress = () => this.state.renew(claimed);
      const wanted = { report, days, caller, signal: this.stopping.signal, onProgress };
      const content = await this.figures.collect(wanted, publicApiUrl);
      if (content.gaps.length > 0 && now < days.dueAt + LONGEST_WAIT_MS) return await this.state.giveBack(claimed);
      const event = readyEvent(report, content, Date.now());
      await this.state.settle(claimed, days.nextDate, { body: reportText(content), html: reportHtml(content), event });
      await this.record(event);
    } catch (error) {
      await this.state.giveBack(claimed, this.stopping.signal.aborted ? 0 : undefined);
      throw error;
    }
  }

  /** Under one id, so that repeating it after a kill changes nothing. */
  private async record(event: ReportReady): Promise<void> {
    await this.intake.record(event, event.data.organizationId);
    await this.state.recorded(event);
  }

  /** Owners and admins are told before, under ids that a repetition has, too. */
  private async pauseReport(report: Report): Promise<void> {
    const { id, organizationId, name, revision } = report;
    const userIds = this.means
      .managersOf(organizationId)
      .map((userId) => ({ id: v5(`${id} ${revision} ${userId}`, NAMESPACE), userId }));
    const page = `${this.means.publicApiUrl}/console/organizations/${organizationId}/reports/${id}`;
    await this.state.notify({
      organizationId,
      userIds,
      subject: inOneLine(`${name}: the report is paused`),
      body: `Who made the report ${inOneLine(name)} is no owner or admin any more, so it is not sent. Whoever saves it again answers for it:\n${page}\n`,
    });
    await this.means.pause(report);
  }
}

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

  managersOf(organizationId: string): readonly string[] {
    return this.registry
      .membersOf(organizationId)
      .filter(({ role }) => role !== 'member')
      .map(({ userId }) => userId);
  }

  async pause(report: Report): Promise<void> {
    await this.commands.execute(new ChangeRecord(Reports, report, { enabled: false }, { caller: ANONYMOUS }));
  }
}

function readyEvent(report: Report, content: ReportContent, now: number): ReportReady {
  const { id: reportId, organizationId } = report;
  const { period, timezone, startDate, endDate, asOf, websites, gaps } = content;
  return {
    type: 'ReportReady',
    id: derivedEventId(reportId, 'ReportReady', startDate),
    at: now,
    receivedAt: now,
    data: {
      organizationId,
      reportId,
      period,
      timezone,
      startDate,
      endDate,
      asOf,
      websites: websites.map(({ id: websiteId, name, totals: { visitors, pageviews } }) => ({
        websiteId,
        name,
        visitors: visitors.now ?? 0,
        visitorsBefore: visitors.before ?? 0,
        pageviews: pageviews.now ?? 0,
        pageviewsBefore: pageviews.before ?? 0,
      })),
      gaps: gaps.map(({ websiteId, why }) => ({ websiteId, why })),
    },
  };
}
