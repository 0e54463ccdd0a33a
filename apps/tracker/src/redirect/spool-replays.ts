import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { ClickSpool } from './click-spool';
import type { Click, Clicks } from './clicks';
import { replayClicks, type Send } from './replay-clicks';

const REPLAY_EVERY_MS = 500;
const CLOSING_MS = 3_000;
const REPLAY_CLOSING_MS = 5_000;

/** Sends what is left on disk, by this process while the log was away or by others that died. */
export class SpoolReplays {
  /** While the log takes nothing, clicks wait on disk alone; over when a replay has come through. */
  logIsAway = false;
  private adopting: Promise<void> | undefined;
  private replaying: Promise<void> | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly send: Send,
    private readonly spool: ClickSpool,
    private readonly logger: Pick<Logger, 'error' | 'info'>,
  ) {
    this.timer = setInterval(() => this.tick(), REPLAY_EVERY_MS);
    this.tick();
  }

  /** Ends the looking; what can be sent quickly still is. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.adopting;
    await Promise.race([this.replaying, wait(REPLAY_CLOSING_MS)]);
    if (this.replaying === undefined && !this.logIsAway && this.spool.hasLeft)
      await Promise.race([this.replay(), wait(CLOSING_MS)]);
  }

  /** Takes over what others left, also while a replay takes its time: it tells the others that we are alive. */
  private tick(): void {
    this.adopting ??= this.spool
      .adopt()
      .catch((err: unknown) => {
        this.logger.error({ err }, 'the spool of clicks cannot be looked through');
      })
      .finally(() => {
        this.adopting = undefined;
        if (this.spool.hasLeft || this.logIsAway)
          this.replaying ??= this.replay().finally(() => (this.replaying = undefined));
      });
  }

  private async replay(): Promise<void> {
    try {
      await this.spool.replay((batches) => this.replayFile(batches));
      this.logIsAway = false;
    } catch (err) {
      if (err instanceof LogUnavailable) return;
      this.logger.error({ err }, 'spooled clicks were refused; their file is put aside');
      await this.spool.putOldestAside().catch((failure: unknown) => {
        this.logger.error({ err: failure }, 'it cannot be put aside');
      });
    }
  }

  private async replayFile(batches: readonly Clicks[]): Promise<readonly Click[]> {
    const refused = await replayClicks(batches, this.send);
    this.logger.info({ batches: batches.length }, 'spooled clicks are in the log');
    if (refused.length > 0)
      this.logger.error({ clicks: refused.length }, 'spooled clicks were refused; they are put aside');
    return refused;
  }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());
