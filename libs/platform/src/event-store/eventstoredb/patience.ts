/** How long an answer may take, or a page may make no progress, before it counts as lost. */
const USUAL_MS = 8_000;
const SHORT_MS = 1_000;

/**
 * How long to wait for a server: once it has let somebody wait in vain, the others do not wait long until it answers
 * again. Whoever follows the log always waits as usual, so a server that is merely slow is heard.
 */
export class Patience {
  private isSilent = false;

  constructor(readonly usualMs = USUAL_MS) {}

  get ms(): number {
    return this.isSilent ? Math.min(SHORT_MS, this.usualMs) : this.usualMs;
  }

  answered(): void {
    this.isSilent = false;
  }

  ended(): void {
    this.isSilent = true;
  }
}
