import { LogUnavailable } from '../log/log-reader';
import { pause } from '../log/timing';

/** The age, ms, from which an answer counts as unknown. */
export const UNKNOWN_AFTER_MS = 10_000;

/**
 * A question that is asked over and over in the background: the last answer with its age, and why the last try failed.
 */
export class Poll<T> {
  /** The newest one. */
  answer: { readonly value: T; readonly at: number; readonly time: Date } | undefined;
  /**
   * The failure of the last try that has ended, and when the first one failed since an answer; undefined = it was
   * answered.
   */
  failure: { readonly error: unknown; readonly since: Date } | undefined;
  isWaiting = false;
  private readonly begunAt: number;
  private trying: Promise<void> = Promise.resolve();

  /** @param now a monotonic clock, ms */
  constructor(
    private readonly ask: () => Promise<T>,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.begunAt = now();
  }

  /** The newest answer; undefined before the first one. */
  get value(): T | undefined {
    return this.answer?.value;
  }

  /** For so long there was no newer answer, ms. */
  get ageMs(): number {
    return this.now() - (this.answer?.at ?? this.begunAt);
  }

  get isOverdue(): boolean {
    return this.ageMs > UNKNOWN_AFTER_MS;
  }

  /** Asks once, after a try that is under way; an answer that takes long is waited for. */
  once(): Promise<void> {
    return (this.trying = this.trying.then(() => this.try()));
  }

  /** Asks until the signal, so many ms after each answer. */
  async follow(everyMs: number, signal: AbortSignal, onEnd: (poll: this) => void = () => undefined): Promise<void> {
    while (!signal.aborted) {
      await this.once();
      onEnd(this);
      await pause(everyMs, signal);
    }
  }

  private async try(): Promise<void> {
    this.isWaiting = true;
    try {
      this.answer = { value: await this.ask(), at: this.now(), time: new Date() };
      this.failure = undefined;
    } catch (error) {
      this.failure = { error, since: this.failure?.since ?? new Date() };
    } finally {
      this.isWaiting = false;
    }
  }
}

export const TICK_MS = 500;
const SILENT_TICKS = 6;

/**
 * Ends what waits for a database that answers no poll for three seconds. Time is counted by ticks of this process, so
 * that a process that was paused does not take its own pause for silence.
 */
export class SilenceWatch {
  private ticks = 0;
  private answer: unknown;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly poll: Pick<Poll<unknown>, 'answer' | 'failure' | 'isWaiting'>) {}

  tick(): void {
    const { answer, failure, isWaiting } = this.poll;
    if (answer !== this.answer) this.ticks = 0;
    else if (isWaiting || failure !== undefined) this.ticks += 1;
    this.answer = answer;
    if (this.ticks >= SILENT_TICKS) for (const end of this.waiting) end();
  }

  /** @throws what `failure` makes, at the first tick at which the database is silent */
  async whileAnswering<R>(
    work: () => Promise<R>,
    failure = () => new LogUnavailable('The database does not answer.'),
  ): Promise<R> {
    let end = () => {};
    const silent = new Promise<never>((_, reject) => (end = () => reject(failure())));
    this.waiting.add(end);
    try {
      return await Promise.race([work(), silent]);
    } finally {
      this.waiting.delete(end);
    }
  }
}
