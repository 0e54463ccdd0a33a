import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { ClickSpool } from './click-spool';
import { sendSpooled, type Send } from './send-spooled';
import { CLOSING_MS, within } from './wait';

const REPLAY_EVERY_MS = 500;
const REPLAY_CLOSING_MS = 5_000;

/** Sends what is left on disk, by this process while the log was away or by others that died. */
export class ReplayLoop {
  /** While the log takes nothing, clicks wait on disk alone; over when a replay has come through. */
  logIsAway = false;
  /** What was said of a replay that cannot come through. */
  private failure: unknown;
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
    await within(REPLAY_CLOSING_MS, this.replaying);
    if (this.replaying === undefined && !this.logIsAway && this.spool.hasLeft) await within(CLOSING_MS, this.replay());
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
      await this.spool.replay((lines) => this.deliver(lines));
      this.logIsAway = false;
      this.failure = undefined;
    } catch (err) {
      if (err instanceof LogUnavailable || isSame(err, this.failure)) return;
      this.failure = err;
      this.logger.error({ err }, 'spooled clicks cannot be sent; they stay on disk until they can');
    }
  }

  private async deliver(lines: readonly string[]): Promise<readonly string[]> {
    const refused = await sendSpooled(lines, this.send);
    this.logger.info({ batches: lines.length }, 'spooled clicks are in the log');
    if (refused.length > 0)
      this.logger.error({ lines: refused.length }, 'spooled clicks were refused or cannot be read; they are put aside');
    return refused;
  }
}

/** Tried twice a second, so that one failure is said once. */
const isSame = (one: unknown, other: unknown): boolean => String(one) === String(other);
