/** How long a page of `$all` may make no progress before it counts as lost. */
const NORMAL_MS = 8_000;
/** An answer of streams and appends: a write takes up to two tries and a read, and its client has an answer within 8 s. */
const CALL_MS = 4_000;
/** The same after one was lost. */
const SHORT_MS = 1_000;

/**
 * The timeout of calls to a server: short after a call timed out, until the server responds again. Reads of `$all`
 * always use the normal one, so that a merely slow server is noticed.
 */
export class ResponseTimeout {
  private isServerSilent = false;

  constructor(readonly normalMs = NORMAL_MS) {}

  get currentMs(): number {
    return Math.min(this.isServerSilent ? SHORT_MS : CALL_MS, this.normalMs);
  }

  onResponse(): void {
    this.isServerSilent = false;
  }

  onTimeout(): void {
    this.isServerSilent = true;
  }
}
