import { explain, StoreUnreachable } from '../config/start-failure';
import type { Logger } from '../logging/logger';
import { OutageLog } from '../logging/outage-log';
import { LogUnavailable } from './log-reader';
import { Backoff } from './timing';

interface Closable {
  close(): Promise<void>;
}

/** The process that waits for a store, and the store. */
export interface StoreWait {
  /** As in a sentence: "EventStoreDB". */
  readonly name: string;
  readonly logger: Pick<Logger, 'warn' | 'info' | 'fatal'>;
  /** Ends the process, where the store turns out to be one that it can never use. */
  readonly end?: () => void;
}

/**
 * A store that may be away when the process starts: it is opened at once or as soon as it is there, and what needs it is
 * refused until then. Its checks at the start are made whenever it is reached first.
 */
export class OpenedWhenUp<Store extends Closable> {
  private store: Store | undefined;
  private failure: unknown;
  private readonly outage: OutageLog;
  private readonly stopping = new AbortController();
  private retrying: Promise<void> = Promise.resolve();

  private constructor(
    private readonly connect: () => Promise<Store>,
    private readonly waiting: StoreWait,
  ) {
    const { name, logger } = waiting;
    this.outage = new OutageLog(logger, {
      began: `${name} is away at the start; what needs it is refused until it is there`,
      ended: `${name} is there`,
    });
  }

  /** @throws StartFailure where waiting changes nothing */
  static async open<Store extends Closable>(
    connect: () => Promise<Store>,
    waiting: StoreWait,
  ): Promise<OpenedWhenUp<Store>> {
    const opened = new OpenedWhenUp(connect, waiting);
    if (!(await opened.isOpened())) opened.retrying = opened.retry();
    return opened;
  }

  /** @throws LogUnavailable until it is there */
  get(): Store {
    if (this.store) return this.store;
    throw new LogUnavailable(`${this.waiting.name} is not there yet.`, { cause: this.failure });
  }

  get isThere(): boolean {
    return this.store !== undefined;
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await this.retrying;
    await this.store?.close();
  }

  private async isOpened(): Promise<boolean> {
    try {
      this.store = await this.connect();
    } catch (error) {
      if (!(error instanceof StoreUnreachable)) throw error;
      this.failure = error;
      this.outage.failed(error);
      return false;
    }
    this.outage.succeeded();
    return true;
  }

  private async retry(): Promise<void> {
    const { signal } = this.stopping;
    const backoff = new Backoff(signal);
    do await backoff.pause();
    while (!signal.aborted && !(await this.isDecided()));
  }

  /** Opened, or never to be. */
  private async isDecided(): Promise<boolean> {
    try {
      return await this.isOpened();
    } catch (err) {
      const { logger, name, end } = this.waiting;
      this.failure = err;
      logger.fatal({ err }, explain(err) ?? `${name} cannot be used; the process ends`);
      end?.();
      return true;
    }
  }
}
