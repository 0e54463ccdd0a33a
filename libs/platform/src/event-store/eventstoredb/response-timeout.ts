/** How long an answer may take, or a page may make no progress, before it counts as lost. */
const NORMAL_MS = 8_000;
const SHORT_MS = 1_000;

/**
 * The timeout of calls to a server: short after a call timed out, until the server responds again. Reads of `$all`
 * always use the normal one, so that a merely slow server is noticed.
 */
export class ResponseTimeout {
  private isServerSilent = false;

  constructor(readonly normalMs = NORMAL_MS) {}

  get currentMs(): number {
    return this.isServerSilent ? Math.min(SHORT_MS, this.normalMs) : this.normalMs;
  }

  onResponse(): void {
    this.isServerSilent = false;
  }

  onTimeout(): void {
    this.isServerSilent = true;
  }
}
