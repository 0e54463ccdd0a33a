import { Problem } from '@ledgerline/contracts/errors/error-codes';

interface Bounds {
  /** Pieces of work at once. */
  readonly atOnce: number;
  /** The work of one caller that runs at once; fewer than `atOnce`, so that one caller never takes every place. */
  readonly ofOneCaller: number;
  /** Pieces of work that may wait, over all callers. */
  readonly waiting: number;
}

interface CallersWork {
  running: number;
  readonly waiting: (() => void)[];
}

const BUSY = 'Too many queries are waiting; try again in a moment.';

export const tooManyWaiting = (): Problem => new Problem('SERVICE_UNAVAILABLE', BUSY, undefined, 1);

/** Lets so many pieces of work run at once, of one caller fewer; callers whose work waits take turns. */
export class FairSemaphore {
  private running = 0;
  private waiting = 0;
  /** In the order of their turns. */
  private readonly callers = new Map<string, CallersWork>();

  /** The number of callers that have work that runs or waits. */
  get busyCallers(): number {
    return this.callers.size;
  }

  constructor(private readonly bounds: Bounds) {}

  /**
   * Runs some work when it is the caller's turn.
   * @throws Problem SERVICE_UNAVAILABLE when too much is waiting · the reason of the signal when that is aborted first
   */
  async run<T>(caller: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const own = this.callers.get(caller) ?? { running: 0, waiting: [] };
    this.callers.set(caller, own);
    try {
      if (this.mayRun(own) && own.waiting.length === 0) this.start(own);
      else await this.turnOf(own, signal);
    } catch (error) {
      this.forgetIdle(caller, own);
      throw error;
    }
    try {
      return await work();
    } finally {
      this.end(caller, own);
      this.startNext();
    }
  }

  /** The caller is the last one in turn then. */
  private end(caller: string, own: CallersWork): void {
    this.running--;
    own.running--;
    this.callers.delete(caller);
    this.callers.set(caller, own);
    this.forgetIdle(caller, own);
  }

  /** TRICKY: by then the caller's newer work may have another entry. */
  private forgetIdle(caller: string, own: CallersWork): void {
    const isIdle = own.running === 0 && own.waiting.length === 0;
    if (isIdle && this.callers.get(caller) === own) this.callers.delete(caller);
  }

  private mayRun({ running }: CallersWork): boolean {
    return this.running < this.bounds.atOnce && running < this.bounds.ofOneCaller;
  }

  private start(own: CallersWork): void {
    this.running++;
    own.running++;
  }

  private async turnOf(own: CallersWork, signal: AbortSignal): Promise<void> {
    if (this.waiting >= this.bounds.waiting) throw tooManyWaiting();
    this.waiting++;
    try {
      await new Promise<void>((resolve, reject) => {
        const leave = () => {
          own.waiting.splice(own.waiting.indexOf(go), 1);
          reject(signal.reason);
        };
        const go = () => {
          signal.removeEventListener('abort', leave);
          this.start(own);
          resolve();
        };
        signal.addEventListener('abort', leave, { once: true });
        own.waiting.push(go);
      });
    } finally {
      this.waiting--;
    }
  }

  /** Starts what may run of the first caller in turn. */
  private startNext(): void {
    for (const own of this.callers.values()) {
      const next = this.mayRun(own) ? own.waiting.shift() : undefined;
      if (!next) continue;
      next();
      return;
    }
  }
}

/** Lets so many pieces of work run at once; the others wait in order. */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }
}
