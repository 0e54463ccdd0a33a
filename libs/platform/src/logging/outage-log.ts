import { setTimeout } from 'node:timers/promises';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from './logger';

interface OutageMessages {
  readonly began: string;
  readonly ended: string;
}

/** Logs one line when an outage begins and one when it ends, with its duration and the number of failures meanwhile. */
export class OutageLog {
  private since: number | undefined;
  private count = 0;

  constructor(
    private readonly logger: Pick<Logger, 'warn' | 'info'>,
    private readonly messages: OutageMessages,
  ) {}

  /** Failures of the outage so far. */
  get failures(): number {
    return this.count;
  }

  get isOn(): boolean {
    return this.since !== undefined;
  }

  failed(err: unknown): void {
    this.count += 1;
    if (this.since !== undefined) return;
    this.since = performance.now();
    this.logger.warn({ err }, this.messages.began);
  }

  succeeded(): void {
    if (this.since === undefined) return;
    const seconds = Math.round((performance.now() - this.since) / 100) / 10;
    this.logger.info({ seconds, failures: this.count }, this.messages.ended);
    this.since = undefined;
    this.count = 0;
  }
}

const PROBE_MS = 1_000;

/** An outage of the stores as requests notice it: it ends when a probe succeeds and no request has failed since. */
export class StoreOutages implements OnApplicationShutdown {
  private readonly outage: OutageLog;
  private readonly stopping = new AbortController();
  private watching: Promise<void> | undefined;

  constructor(
    logger: Pick<Logger, 'warn' | 'info'>,
    private readonly isAvailable: () => Promise<boolean>,
    private readonly probeMs = PROBE_MS,
  ) {
    this.outage = new OutageLog(logger, {
      began: 'a store is unavailable; requests are refused until it is back',
      ended: 'the stores are available again',
    });
  }

  /** Counts a request that was refused because of `err`. */
  refused(err: unknown): void {
    this.outage.failed(err);
    this.watching ??= this.watch();
  }

  onApplicationShutdown(): void {
    this.stopping.abort();
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    let before: number;
    do {
      before = this.outage.failures;
      await setTimeout(this.probeMs, undefined, { ref: false, signal }).catch(() => undefined);
      if (signal.aborted) return;
    } while (!(await this.isAvailable().catch(() => false)) || this.outage.failures > before);
    this.outage.succeeded();
    this.watching = undefined;
  }
}
