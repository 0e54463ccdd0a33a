import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { ClickSpool } from './click-spool';
import { hitsOf } from './clicks';
import { byFile, KeptClicks, type Kept } from './kept-clicks';
import type { ReplayLoop } from './replay-loop';
import type { Send } from './send-spooled';
import type { SpoolFile } from './spool-file';
import { UnderWay } from './under-way';
import { wait } from './wait';

/** Batches of so many milliseconds are sent to the log together. */
const SEND_EVERY_MS = 20;

/** Sends batches to the log and tells the spool what became of them. */
export class ClickSender {
  private readonly kept = new KeptClicks();
  /** Clicks that are neither on disk nor in memory, and not told of yet. */
  private lost = 0;
  private sending: Promise<void> | undefined;
  private readonly notes = new UnderWay();

  constructor(
    private readonly send: Send,
    private readonly spool: Pick<ClickSpool, 'leave' | 'delivered'>,
    private readonly replays: Pick<ReplayLoop, 'logIsAway'>,
    private readonly logger: Pick<Logger, 'error' | 'warn'>,
  ) {}

  /** What is on disk waits there alone while the log is away or memory is full. */
  take(one: Kept): void {
    const { batch, file } = one;
    const { isFull } = this.kept;
    if (file !== undefined && (this.replays.logIsAway || isFull)) this.spool.leave(file);
    else if (isFull) this.lost += batch.clicks.length;
    else {
      this.kept.add(one);
      this.sending ??= this.sendKept();
    }
  }

  /** Resolves when nothing is being sent. */
  async settled(): Promise<void> {
    await this.sending;
    await this.notes.settled();
  }

  /** One call at a time, so that a slow log gets fewer and larger ones. */
  private async sendKept(): Promise<void> {
    while (!this.kept.isEmpty) {
      await wait(SEND_EVERY_MS);
      const some = this.kept.take();
      const taken = await this.isSent(some);
      for (const [file, batches] of byFile(some)) this.release(file, batches, taken);
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

  /** Nobody waits for a note: the next clicks may be sent while the disk takes its time. */
  private release(file: SpoolFile, batches: readonly string[], taken: boolean): void {
    if (!taken) {
      this.spool.leave(file, batches.length);
      return;
    }
    const noted = this.spool.delivered(file, batches).catch((err: unknown) => {
      this.logger.warn({ err }, 'the spool cannot note that clicks are in the log');
    });
    this.notes.follow(noted);
  }
}
