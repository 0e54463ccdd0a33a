import { Inject, Injectable } from '@nestjs/common';
import { derivedEventId } from '@ledgerline/contracts/events/event-id';
import type { ReportReady } from '@ledgerline/contracts/events/observed-events';
import type { Report } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import { inOneLine } from '@ledgerline/domain/messages/message-text';
import { LONGEST_WAIT_MS, type PastPeriod, lastReportPeriod } from '@ledgerline/domain/reports/report-period';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { PeriodicWork } from '@ledgerline/platform/processes/periodic-work';
import { IntakeWriter } from '../intake-writer';
import { AdminNotices } from '../organizations/admin-notices';
import { LOGGER } from '../tokens';
import type { ReportContent } from './report-content';
import { ReportFigures } from './report-figures';
import { reportHtml } from './report-mail';
import { ReportMeans } from './report-means';
import { ReportState } from './report-state';
import { reportText } from './report-text';

const REPEATED = {
  everyMs: 10_000,
  began: 'reports cannot be made; trying again until they can',
  ended: 'reports are made again',
};

/** Makes each report once it is due and its events are counted: one process at a time, in an installation that sends. */
@Injectable()
export class ReportSchedule extends PeriodicWork {
  constructor(
    private readonly means: ReportMeans,
    private readonly state: ReportState,
    private readonly figures: ReportFigures,
    private readonly intake: IntakeWriter,
    private readonly notices: AdminNotices,
    @Inject(LOGGER) logger: Logger,
  ) {
    super(logger, REPEATED);
  }

  /** Makes what is due at a time (epoch ms); the failure of one report holds up no other. */
  async runOnce(now = Date.now()): Promise<void> {
    const { registry } = this.means;
    const reports = registry.all('reports');
    if (!(await this.means.maySend(reports.length > 0))) return;
    for (const event of await this.state.waiting()) await this.record(event);
    const settled = await this.state.settled();
    await this.state.forget([...settled.keys()].filter((id) => !registry.find('reports', id)));
    const failures: unknown[] = [];
    for (const report of reports) {
      if (this.signal.aborted) return;
      await this.decide(report, settled.get(report.id), now).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  private async decide(report: Report, settled: string | undefined, now: number): Promise<void> {
    const days = lastReportPeriod(report, now);
    if (settled === undefined)
      await this.state.begin(report.id, lastReportPeriod(report, report.createdAt.getTime()).nextDate);
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
      const wanted = { report, days, caller, signal: this.signal, onProgress };
      const content = await this.figures.collect(wanted, publicApiUrl);
      if (content.gaps.length > 0 && now < days.dueAt + LONGEST_WAIT_MS) {
        await this.state.giveBack(claimed);
        return;
      }
      const event = readyEvent(report, content, Date.now());
      const mail = { body: reportText(content), html: reportHtml(content), event };
      if (await this.state.settle(claimed, days.nextDate, mail)) await this.record(event);
    } catch (error) {
      await this.state.giveBack(claimed, this.signal.aborted ? 0 : undefined);
      throw error;
    }
  }

  /** Under one id, so that repeating it after a kill changes nothing. */
  private async record(event: ReportReady): Promise<void> {
    await this.intake.send([{ event, subject: event.data.organizationId, dedupe: 'forever' }]);
    await this.state.recorded(event);
  }

  /** Owners and admins are told before, under ids that a repetition has, too. */
  private async pauseReport(report: Report): Promise<void> {
    const { id, organizationId, name, revision } = report;
    const page = `${this.means.publicApiUrl}/console/organizations/${organizationId}/reports?report=${id}`;
    await this.notices.notify({
      organizationId,
      about: `${id} ${revision}`,
      subject: inOneLine(`${name}: the report is paused`),
      body: `Who made the report ${inOneLine(name)} is no owner or admin any more, so it is not sent. Whoever saves it again answers for it:\n${page}\n`,
    });
    await this.means.pause(report);
  }
}

function readyEvent(report: Report, content: ReportContent, now: number): ReportReady {
  const { id: reportId, organizationId } = report;
  const { period, timezone, startDate, endDate, asOf, websites, gaps } = content;
  return {
    type: 'ReportReady',
    id: derivedEventId(reportId, 'ReportReady', `${period} ${startDate}`),
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
