import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { COMMAND_WAITS, type Deadline } from '@ledgerline/platform/log/timing';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/**
 * When a connection to a server that does not respond may be replaced: soon again at first, as a cluster names a frozen
 * leader for seconds more, and then ever more seldom, as gRPC keeps what was replaced for half an hour.
 */
export class ReplacementPace {
  private replacedAt = -Infinity;
  private pauseMs = FIRST_PAUSE_MS;

  /** True counts as a replacement; ms. */
  mayReplace(now: number): boolean {
    const passedMs = now - this.replacedAt;
    if (passedMs < this.pauseMs) return false;
    this.pauseMs = passedMs < MAX_PAUSE_MS ? Math.min(2 * this.pauseMs, MAX_PAUSE_MS) : FIRST_PAUSE_MS;
    this.replacedAt = now;
    return true;
  }
}

/** The time for which a large page of `$all` may make no progress before it counts as lost. */
const NORMAL_MS = 8_000;
/** An answer of streams, appends and small pages: a write takes up to two tries and a read. */
const CALL_MS = 4_000;
/** The timeout after an answer was lost, ms. */
const SHORT_MS = 1_000;
/**
 * The timeout of calls to a server: short after a call timed out, until the server responds again. Large pages of `$all`
 * always use the normal one, so that a merely slow server is noticed.
 */
export class ResponseTimeout {
  private isServerSilent = false;

  constructor(readonly normalMs = NORMAL_MS) {}

  get currentMs(): number {
    return Math.min(this.isServerSilent ? SHORT_MS : CALL_MS, this.normalMs);
  }

  /** Returns the timeout of one call of a command, ms. @throws LogUnavailable where it has no time left */
  within(deadline: Deadline | undefined): number {
    if (!deadline) return this.currentMs;
    if (!this.hasTime(deadline)) throw new LogUnavailable('EventStoreDB has taken all the time that a command has.');
    return Math.min(this.currentMs, Math.round(deadline.left(this.commandMs)));
  }

  /** Returns whether a command has time for another call after so many ms. */
  hasTime(deadline: Deadline, afterMs = 0): boolean {
    return deadline.left(this.commandMs) - afterMs >= Math.min(SHORT_MS, this.normalMs);
  }

  private get commandMs(): number {
    return this.isServerSilent ? COMMAND_WAITS.laterMs : COMMAND_WAITS.firstMs;
  }

  onResponse(): void {
    this.isServerSilent = false;
  }

  onTimeout(): void {
    this.isServerSilent = true;
  }
}
