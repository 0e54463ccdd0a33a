import { HitTooLarge, type Hit, type SendResult } from '@ledgerline/platform/intake-log/intake-log';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { ClickSpool } from './click-spool';

/** Clicks of so many milliseconds make one batch. */
const GATHER_MS = 3;
/** A batch that is not committed by then goes to disk as well, so that it is safe within 50 ms of its redirect. */
const PATIENCE_MS = 20;
const REPLAY_EVERY_MS = 500;
const REPLAYED_AT_ONCE = 1_000;
const CLOSING_MS = 3_000;
const REPLAY_CLOSING_MS = 5_000;

/** Takes clicks without making anybody wait, and has each in the log or on disk within 50 ms. */
export class ClickRecorder {
  private waiting: Hit[] = [];
  private gathering: NodeJS.Timeout | undefined;
  private readonly expected = new Set<Promise<unknown>>();
  private readonly underWay = new Set<Promise<unknown>>();
  /** While a batch is late or was refused, the next ones do not wait for the log. */
  private late = 0;
  private away = false;
  private adopting: Promise<void> | undefined;
  private replaying: Promise<void> | undefined;
  private readonly replayTimer: NodeJS.Timeout;

  constructor(
    private readonly send: (hits: readonly Hit[]) => Promise<SendResult>,
    private readonly spool: ClickSpool,
    private readonly logger: Pick<Logger, 'error' | 'warn' | 'info'>,
  ) {
    this.replayTimer = setInterval(() => this.tick(), REPLAY_EVERY_MS);
    this.tick();
  }

  /** A click that is still being made is waited for, also when everything ends. */
  add(hit: Hit | Promise<Hit>): void {
    if (hit instanceof Promise) this.expect(hit);
    else this.take(hit);
  }

  private take(hit: Hit): void {
    this.waiting.push(hit);
    this.gathering ??= setTimeout(() => this.flush(), GATHER_MS);
  }

  private expect(coming: Promise<Hit>): void {
    const taken = coming.then(
      (hit) => this.take(hit),
      (err: unknown) => this.logger.error({ err }, 'a click could not be made; it is lost'),
    );
    this.expected.add(taken);
    void taken.finally(() => this.expected.delete(taken));
  }

  /** Resolves when everything that was added is in the log or on disk. */
  async close(): Promise<void> {
    clearInterval(this.replayTimer);
    await Promise.race([Promise.all(this.expected), wait(CLOSING_MS)]);
    this.flush();
    await Promise.race([Promise.all(this.underWay), wait(CLOSING_MS)]);
    await this.adopting;
    await Promise.race([this.replaying, wait(REPLAY_CLOSING_MS)]);
    if (this.replaying === undefined && !this.away && !this.spool.isEmpty)
      await Promise.race([this.deliverSpool(), wait(CLOSING_MS)]);
    await this.spool.close();
  }

  private flush(): void {
    clearTimeout(this.gathering);
    this.gathering = undefined;
    const batch = this.waiting;
    if (batch.length === 0) return;
    this.waiting = [];
    const safe = (this.away || this.late > 0 ? this.toDisk(batch) : this.toLog(batch)).catch((err: unknown) => {
      this.logger.error({ err, clicks: batch.length }, 'clicks could neither be sent nor spooled; they are lost');
    });
    this.underWay.add(safe);
    void safe.finally(() => this.underWay.delete(safe));
  }

  private async toLog(batch: readonly Hit[]): Promise<void> {
    const sent = this.send(batch).then(
      () => true,
      (err: unknown) => {
        this.logger.warn({ err }, 'the intake log does not take clicks; they go to disk');
        this.away = true;
        return false;
      },
    );
    const inTime = await Promise.race([sent, wait(PATIENCE_MS)]);
    if (inTime === true) return;
    this.late++;
    void sent.finally(() => this.late--);
    await this.toDisk(batch);
  }

  private toDisk(batch: readonly Hit[]): Promise<void> {
    return this.spool.append(batch);
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
        this.replay();
      });
  }

  private replay(): void {
    if (this.replaying !== undefined || this.late > 0 || (this.spool.isEmpty && !this.away)) return;
    this.replaying = this.deliverSpool().finally(() => (this.replaying = undefined));
  }

  private async deliverSpool(): Promise<void> {
    try {
      await this.spool.replay((hits) => this.deliver(hits));
      this.away = false;
    } catch (err) {
      if (err instanceof LogUnavailable) return;
      this.logger.error({ err }, 'spooled clicks were refused; their file is put aside');
      await this.spool.putOldestAside().catch((failure: unknown) => {
        this.logger.error({ err: failure }, 'it cannot be put aside');
      });
    }
  }

  /** Answers those that are refused for what they are. */
  private async deliver(hits: readonly Hit[]): Promise<readonly Hit[]> {
    const refused: Hit[] = [];
    for (let at = 0; at < hits.length; at += REPLAYED_AT_ONCE)
      refused.push(...(await this.sendOrSift(hits.slice(at, at + REPLAYED_AT_ONCE))));
    this.logger.info({ clicks: hits.length - refused.length }, 'spooled clicks are in the log');
    if (refused.length > 0)
      this.logger.error({ clicks: refused.length }, 'spooled clicks were refused; they are put aside');
    return refused;
  }

  /** A batch is refused whole: then each goes alone, and only the bad ones are left. */
  private async sendOrSift(hits: readonly Hit[]): Promise<readonly Hit[]> {
    try {
      await this.send(hits);
      return [];
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (hits.length === 1) return hits;
      const refused: Hit[] = [];
      for (const hit of hits) refused.push(...(await this.sendOrSift([hit])));
      return refused;
    }
  }
}

const isRefusal = (error: unknown): boolean => error instanceof RangeError || error instanceof HitTooLarge;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());
