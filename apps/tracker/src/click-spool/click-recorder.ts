import type { IntakeSender } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { ClickReplay } from './click-replay';
import type { ClickSpool } from './click-spool';
import { CLOSING_MS, PendingTasks, wait, within } from './pending-tasks';
import { clickHits, newBatch, type Click, type ClickBatch, type SpoolFile } from './spool-file';

/** Clicks within this time are one batch. */
const GATHER_MS = 15;
/** Maximum of clicks being sent to the log, exceeded by one batch at most. */
const MAX_IN_FLIGHT = 20_000;
const REPORT_LOST_MS = 1_000;

/**
 * Records clicks without making a redirect wait. Each is on disk within milliseconds, and only then sent to the intake
 * log; what is not in the log when this process dies, or while the log is down, is replayed. While the disk is full,
 * clicks are sent from memory.
 */
export class ClickRecorder {
  private gathered: Click[] = [];
  private inFlight = 0;
  private diskFails = false;
  private lost = 0;
  private reporting: NodeJS.Timeout | undefined;
  private spooling: Promise<void> | undefined;
  /** Batches that are being written or sent. */
  private readonly tasks = new PendingTasks((err) => this.logger.error({ err }, 'a click or its spool file failed'));
  private readonly replays: ClickReplay;

  constructor(
    private readonly log: Pick<IntakeSender, 'send'>,
    private readonly spool: ClickSpool,
    private readonly logger: Pick<Logger, 'error' | 'warn' | 'info'>,
  ) {
    this.replays = new ClickReplay(log, spool, logger);
  }

  add(click: Click): void {
    this.gathered.push(click);
    this.spooling ??= this.spoolGathered();
  }

  /** Resolves when everything that was added is in the log or on disk. */
  async close(): Promise<void> {
    await within(CLOSING_MS, this.idle());
    this.reportLost();
    await this.replays.close();
  }

  private async idle(): Promise<void> {
    await this.spooling;
    await this.tasks.settled();
  }

  /** One write and fsync at a time: while one takes longer, the next batch gathers. */
  private async spoolGathered(): Promise<void> {
    await wait(GATHER_MS);
    while (this.gathered.length > 0) {
      const batch = newBatch(this.gathered);
      this.gathered = [];
      await Promise.all([this.tasks.add(this.record(batch)), wait(GATHER_MS)]);
    }
    this.spooling = undefined;
  }

  private async record(batch: ClickBatch): Promise<void> {
    const file = await this.spooled(batch);
    const isFull = this.inFlight > MAX_IN_FLIGHT;
    if (isFull || (file !== undefined && this.replays.logIsDown)) await this.giveUp(batch, file);
    else void this.tasks.add(this.sendBatch(batch, file));
  }

  /** Undefined where the disk takes nothing, which is logged once until it works again. */
  private async spooled(batch: ClickBatch): Promise<SpoolFile | undefined> {
    try {
      const file = await this.spool.append(batch);
      this.diskFails = false;
      return file;
    } catch (err) {
      if (!this.diskFails) this.logger.error({ err }, 'clicks cannot be written to disk; they wait in memory');
      this.diskFails = true;
      return undefined;
    }
  }

  private async sendBatch(batch: ClickBatch, file: SpoolFile | undefined): Promise<void> {
    this.inFlight += batch.clicks.length;
    const isInLog = await this.isSent(batch);
    this.inFlight -= batch.clicks.length;
    if (!isInLog) await this.giveUp(batch, file);
    else if (file !== undefined) await this.spool.acknowledge(file);
  }

  private async isSent(batch: ClickBatch): Promise<boolean> {
    try {
      await this.log.send(clickHits(batch, '48h'));
      return true;
    } catch (err) {
      if (!this.replays.logIsDown)
        this.logger.warn({ err }, 'the intake log does not take clicks; those on disk wait there');
      this.replays.logIsDown ||= err instanceof LogUnavailable;
      return false;
    }
  }

  /** A batch that is on disk waits there; any other is lost. */
  private async giveUp(batch: ClickBatch, file: SpoolFile | undefined): Promise<void> {
    if (file !== undefined) await this.spool.leave(file);
    else {
      this.lost += batch.clicks.length;
      this.reporting ??= setTimeout(() => this.reportLost(), REPORT_LOST_MS).unref();
    }
  }

  private reportLost(): void {
    clearTimeout(this.reporting);
    this.reporting = undefined;
    if (this.lost > 0)
      this.logger.error({ clicks: this.lost }, 'clicks could neither be sent nor spooled; they are lost');
    this.lost = 0;
  }
}
