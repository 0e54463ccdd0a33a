import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { ClickSpool } from './click-spool';
import { hitsOf, together, type Click, type Clicks } from './clicks';
import { ReplayLoop } from './replay-loop';
import type { Send } from './send-spooled';
import type { SpoolFile } from './spool-file';
import { CLOSING_MS, wait, within } from './wait';

/** Clicks of so many milliseconds are written to disk as one batch. */
const GATHER_MS = 8;
/** Batches of so many milliseconds are sent to the log together. */
const SEND_EVERY_MS = 20;
/** Clicks in one call, unless one batch has more. */
const MOST_SENT = 4_000;
/** Clicks that may wait in memory for the log; what is beyond waits on disk alone. */
const MOST_KEPT = 20_000;

/** A batch on its way to the log; without a file it could not be written to disk. */
interface Kept {
  readonly batch: Clicks;
  readonly file: SpoolFile | undefined;
}

/**
 * Takes clicks without making anybody wait. Each is on disk within milliseconds, and only then sent to the log, which
 * has its time: what is not sent when this process dies, another one replays.
 */
export class ClickRecorder {
  private waiting: Click[] = [];
  private gathering: NodeJS.Timeout | undefined;
  private kept: Kept[] = [];
  private keptClicks = 0;
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
    const file = await this.spool.append(batch).catch((err: unknown) => {
      this.logger.error({ err }, 'clicks cannot be written to disk; they wait in memory');
      return undefined;
    });
    if (file !== undefined && (this.replays.logIsAway || this.keptClicks > MOST_KEPT)) {
      this.spool.leave(file);
      return;
    }
    this.kept.push({ batch, file });
    this.keptClicks += batch.clicks.length;
    this.sending ??= this.sendKept();
  }

  /** One call at a time, so that a slow log gets fewer and larger ones. */
  private async sendKept(): Promise<void> {
    while (this.kept.length > 0) {
      await wait(SEND_EVERY_MS);
      const some = this.takeSome();
      const taken = await this.isTaken(some);
      for (const { file } of some) if (file !== undefined) await this.release(file, taken);
    }
    this.sending = undefined;
  }

  private takeSome(): readonly Kept[] {
    let clicks = 0;
    let batches = 0;
    for (const { batch } of this.kept) {
      if (clicks >= MOST_SENT) break;
      clicks += batch.clicks.length;
      batches++;
    }
    this.keptClicks -= clicks;
    return this.kept.splice(0, batches);
  }

  private async isTaken(some: readonly Kept[]): Promise<boolean> {
    try {
      await this.send(some.flatMap(({ batch }) => hitsOf(batch, '48h')));
      return true;
    } catch (err) {
      this.replays.logIsAway ||= err instanceof LogUnavailable;
      this.logger.warn({ err }, 'the intake log does not take clicks; they wait on disk');
      const lost = some.reduce((sum, { batch, file }) => (file === undefined ? sum + batch.clicks.length : sum), 0);
      if (lost > 0) this.logger.error({ clicks: lost }, 'clicks could neither be sent nor spooled; they are lost');
      return false;
    }
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
