/** How long an answer may take, or a page may make no progress, before it counts as lost. */
const USUAL_MS = 8_000;
const SHORT_MS = 1_000;

/**
 * How long to wait for a server: once it has let somebody wait in vain, the others do not wait long until it answers
 * again. Whoever follows the log always waits as usual, so a server that is merely slow is heard.
 */
export class ResponseTimeout {
  private isServerSilent = false;

  constructor(readonly normalMs = USUAL_MS) {}

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
