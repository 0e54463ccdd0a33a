import type { Logger } from '@ledgerline/platform/logging/logger';
import { ClickSender } from './click-sender';
import type { ClickSpool } from './click-spool';
import { together, type Click, type Clicks } from './clicks';
import { ReplayLoop } from './replay-loop';
import type { Send } from './send-spooled';
import type { SpoolFile } from './spool-file';
import { UnderWay } from './under-way';
import { CLOSING_MS, within } from './wait';

/** Clicks of so many milliseconds are written to disk as one batch. */
const GATHER_MS = 8;

/**
 * Takes clicks without making anybody wait. Each is on disk within milliseconds, and only then sent to the log, which
 * has its time: what is not sent when this process dies, another one replays. While the disk takes nothing, clicks wait
 * in memory, as long as there is room.
 */
export class ClickRecorder {
  private waiting: Click[] = [];
  private gathering: NodeJS.Timeout | undefined;
  private diskFails = false;
  /** Clicks that are being made or written. */
  private readonly underWay = new UnderWay();
  private readonly replays: ReplayLoop;
  private readonly sender: ClickSender;

  constructor(
    send: Send,
    private readonly spool: ClickSpool,
    private readonly logger: Pick<Logger, 'error' | 'warn' | 'info'>,
  ) {
    this.replays = new ReplayLoop(send, spool, logger);
    this.sender = new ClickSender(send, spool, this.replays, logger);
  }

  /** A click that is still being made is waited for, also when everything ends. */
  add(click: Click | Promise<Click>): void {
    if (click instanceof Promise) this.underWay.follow(this.expect(click));
    else this.take(click);
  }

  /** Resolves when everything that was added is in the log or on disk. */
  async close(): Promise<void> {
    await within(CLOSING_MS, this.underWay.settled());
    this.write();
    await within(CLOSING_MS, this.sent());
    await this.replays.close();
    await this.spool.close();
  }

  private async sent(): Promise<void> {
    await this.underWay.settled();
    await this.sender.settled();
  }

  private async expect(coming: Promise<Click>): Promise<void> {
    try {
      this.take(await coming);
    } catch (err) {
      this.logger.error({ err }, 'a click could not be made; it is lost');
    }
  }

  private take(click: Click): void {
    this.waiting.push(click);
    this.gathering ??= setTimeout(() => this.write(), GATHER_MS);
  }

  private write(): void {
    clearTimeout(this.gathering);
    this.gathering = undefined;
    if (this.waiting.length === 0) return;
    const batch = together(this.waiting);
    this.waiting = [];
    this.underWay.follow(this.keep(batch));
  }

  private async keep(batch: Clicks): Promise<void> {
    this.sender.take({ batch, file: await this.fileOf(batch) });
  }

  /** Writes a batch to disk; undefined where that fails, which is said once until it works again. */
  private async fileOf(batch: Clicks): Promise<SpoolFile | undefined> {
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
}
