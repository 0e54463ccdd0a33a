import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { ClickSpool } from './click-spool';
import { hitsOf, together, type Click, type Clicks } from './clicks';
import { KeptClicks, type Kept } from './kept-clicks';
import { ReplayLoop } from './replay-loop';
import type { Send } from './send-spooled';
import type { SpoolFile } from './spool-file';
import { CLOSING_MS, wait, within } from './wait';

/** Clicks of so many milliseconds are written to disk as one batch. */
const GATHER_MS = 8;
/** Batches of so many milliseconds are sent to the log together. */
const SEND_EVERY_MS = 20;

/**
 * Takes clicks without making anybody wait. Each is on disk within milliseconds, and only then sent to the log, which
 * has its time: what is not sent when this process dies, another one replays. While the disk takes nothing, clicks wait in
 * memory, so many of them.
 */
export class ClickRecorder {
  private waiting: Click[] = [];
  private gathering: NodeJS.Timeout | undefined;
  private readonly kept = new KeptClicks();
  /** Clicks that are neither on disk nor in memory, until the log of this process has told of them. */
  private lost = 0;
  private diskFails = false;
  private sending: Promise<void> | undefined;
  /** Clicks that are being made or written. */
  private readonly underWay = new Set<Promise<void>>();
  private readonly replays: ReplayLoop;

  constructor(
    private readonly send: Send,
    private readonly spool: ClickSpool,
    private readonly logger: Pick<Logger, 'error' | 'warn' | 'info'>,
  ) {
    this.replays = new ReplayLoop(send, spool, logger);
  }

  /** A click that is still being made is waited for, also when everything ends. */
  add(click: Click | Promise<Click>): void {
    if (click instanceof Promise) this.follow(this.expect(click));
    else this.take(click);
  }

  /** Resolves when everything that was added is in the log or on disk. */
  async close(): Promise<void> {
    await within(CLOSING_MS, this.settled());
    this.write();
    await within(
      CLOSING_MS,
      this.settled().then(() => this.sending),
    );
    await this.replays.close();
    await this.spool.close();
  }

  private async settled(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private follow(work: Promise<void>): void {
    this.underWay.add(work);
    void work.finally(() => this.underWay.delete(work));
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
    this.follow(this.keep(batch));
  }

  private async keep(batch: Clicks): Promise<void> {
    const file = await this.fileOf(batch);
    const { isFull } = this.kept;
    if (file !== undefined && (this.replays.logIsAway || isFull)) this.spool.leave(file);
    else if (isFull) this.lost += batch.clicks.length;
    else {
      this.kept.add({ batch, file });
      this.sending ??= this.sendKept();
    }
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

  /** One call at a time, so that a slow log gets fewer and larger ones. */
  private async sendKept(): Promise<void> {
    while (!this.kept.isEmpty) {
      await wait(SEND_EVERY_MS);
      const some = this.kept.take();
      const taken = await this.isSent(some);
      for (const { file } of some) if (file !== undefined) await this.release(file, taken);
      this.tellLost();
    }
    this.sending = undefined;
  }

  private async isSent(some: readonly Kept[]): Promise<boolean> {
    try {
      await this.send(some.flatMap(({ batch }) => hitsOf(batch, '48h')));
      return true;
    } catch (err) {
      this.replays.logIsAway ||= err instanceof LogUnavailable;
      this.logger.warn({ err }, 'the intake log does not take clicks; those on disk wait there');
      for (const { batch, file } of some) if (file === undefined) this.lost += batch.clicks.length;
      return false;
    }
  }

  private tellLost(): void {
    if (this.lost > 0)
      this.logger.error({ clicks: this.lost }, 'clicks could neither be sent nor spooled; they are lost');
    this.lost = 0;
  }

  private async release(file: SpoolFile, taken: boolean): Promise<void> {
    if (!taken) {
      this.spool.leave(file);
      return;
    }
    await this.spool.delivered(file).catch((err: unknown) => {
      this.logger.warn({ err }, 'a spool file that is not needed cannot be removed');
    });
  }
}
