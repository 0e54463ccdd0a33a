import { isBadData } from '@ledgerline/platform/database/database-errors';
import { HitTooLarge, type IntakeItem, type IntakeSender } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import type { ClickSpool } from './click-spool';
import { clickHits, parseBatch } from './spool-file';

const EVERY_MS = 500;
const REPLAY_CLOSING_MS = 5_000;
/** Lines that are parsed and sent together: the log makes one flush of them, and a large file does not block this thread. */
const LINES_AT_ONCE = 20;

/** Twice a second: begins a new file, takes over the files of dead processes, keeps room, and sends files again that need it. */
export class ClickReplay {
  /** While the log is down, clicks stay on disk alone; ends with the first replay that succeeds. */
  logIsDown = false;
  /** Logged once, until a replay succeeds. */
  private failure: unknown;
  /** Settled when there is room for clicks, or the disk has refused it. */
  readonly prepared: Promise<void>;
  private preparing: Promise<void> | undefined;
  private replaying: Promise<void> | undefined;
  private readonly timer: NodeJS.Timeout;
  private readonly outage: OutageLog;

  constructor(
    private readonly log: Pick<IntakeSender, 'send'>,
    private readonly spool: ClickSpool,
    private readonly logger: Pick<Logger, 'error' | 'warn' | 'info'>,
  ) {
    this.outage = new OutageLog(logger, {
      began:
        'the disk has no more room for clicks, or cannot be used; redirects are refused when what is set aside is full',
      ended: 'the disk has room for clicks again',
    });
    this.timer = setInterval(() => this.tick(), EVERY_MS);
    this.tick();
    this.prepared = this.preparing ?? Promise.resolve();
  }

  /** Stops; what can be sent quickly still is. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.preparing;
    await waitAtMost(REPLAY_CLOSING_MS, this.replaying);
    await this.spool.rotate();
    if (this.replaying === undefined && !this.logIsDown && this.spool.needsReplay)
      await waitAtMost(CLOSING_MS, this.replay());
    await this.spool.close();
  }

  /** Files are taken over and touched also while a replay takes its time. */
  private tick(): void {
    this.preparing ??= this.prepare().finally(() => {
      this.preparing = undefined;
      if (this.spool.needsReplay || this.logIsDown)
        this.replaying ??= this.replay().finally(() => (this.replaying = undefined));
    });
  }

  private async prepare(): Promise<void> {
    try {
      if (!this.logIsDown) await this.spool.rotateWhereIdle();
      await this.spool.refresh();
      this.outage.succeeded();
    } catch (err) {
      this.outage.failed(err);
    }
  }

  private async replay(): Promise<void> {
    try {
      await this.spool.replay((lines) => this.sendLines(lines));
      this.logIsDown = false;
      this.failure = undefined;
    } catch (err) {
      if (err instanceof LogUnavailable || String(err) === String(this.failure)) return;
      this.failure = err;
      this.logger.error({ err }, 'spooled clicks cannot be sent; they stay on disk until they can');
    }
  }

  private async sendLines(lines: readonly string[]): Promise<readonly string[]> {
    const refused: string[] = [];
    for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
      const some = lines.slice(at, at + LINES_AT_ONCE);
      refused.push(...(await Promise.all(some.map((line) => this.refusedOf(line)))).flat());
    }
    this.logger.info({ batches: lines.length }, 'spooled clicks are in the log');
    if (refused.length > 0)
      this.logger.error({ lines: refused.length }, 'spooled clicks were refused or cannot be read; they are put aside');
    return refused;
  }

  /** Returns what the log refuses of a line: a batch is refused whole, then its clicks are sent one by one. */
  private async refusedOf(line: string): Promise<readonly string[]> {
    const batch = parseBatch(line);
    if (batch === null) return [line];
    if (await this.isAccepted(clickHits(batch, 'forever'))) return [];
    const refused: string[] = [];
    for (const click of batch.clicks)
      if (!(await this.isAccepted([{ ...click, dedupe: 'forever' }]))) refused.push(JSON.stringify(click));
    return refused;
  }

  /** Only errors of the hits themselves are refusals; after any other failure a retry may succeed. */
  private async isAccepted(hits: readonly IntakeItem[]): Promise<boolean> {
    try {
      await this.log.send(hits);
      return true;
    } catch (error) {
      if (error instanceof RangeError || error instanceof HitTooLarge || isBadData(error)) return false;
      throw error;
    }
  }
}

/** Work in the background that is awaited at shutdown. */
export class PendingTasks {
  private readonly tasks = new Set<Promise<void>>();

  constructor(private readonly onError: (error: unknown) => void) {}

  /** Resolves when the task has succeeded or failed. */
  add(task: Promise<void>): Promise<void> {
    const settled = task.catch(this.onError).finally(() => this.tasks.delete(settled));
    this.tasks.add(settled);
    return settled;
  }

  async settled(): Promise<void> {
    while (this.tasks.size > 0) await Promise.all(this.tasks);
  }
}

/** The time for which the shutdown waits for one piece of work, ms. */
export const CLOSING_MS = 3_000;

/** Does not keep the process alive. Not of `timers/promises`, as no spec can fake that. */
export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** Resolves with the work, or without it when the time is over. */
export const waitAtMost = (ms: number, work: Promise<void> | undefined): Promise<void> =>
  Promise.race([work, wait(ms)]);
