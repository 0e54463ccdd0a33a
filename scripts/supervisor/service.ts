import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartFailure } from '@ledgerline/platform/config/start-failure';

/** A process that is kept running. */
export interface ServiceDescription {
  readonly name: string;
  readonly start: () => ChildProcess;
  /** Readiness probe, repeated after a start until it succeeds. */
  readonly answers: () => Promise<boolean>;
  /** It is started only while these are ready. */
  readonly needs?: readonly Service[];
  /** The last lines of its log, for the error message. */
  readonly lastOutput?: () => string;
  readonly readyWithinMs: number;
  readonly stopWithinMs: number;
  /** The signal that ends it when it takes too long to stop; SIGKILL by default. */
  readonly hurryWith?: NodeJS.Signals;
  readonly policy?: RestartPolicy;
  /** Called for each new process, and for each unexpected end with the time until the next start. */
  readonly onStart?: () => void;
  readonly onDeath?: (how: string, restartInMs: number) => void;
}

const PROBE_EVERY_MS = 100;

/** Starts a process, restarts it with growing delays when it ends unexpectedly, for ever once it was ready, and stops it. */
export class Service {
  readonly name: string;
  private child: ChildProcess | undefined;
  /** Its own failures in a row, without those in which something it needs ended too. */
  private failures = 0;
  private died = 0;
  private ready = deferred();
  /** Epoch ms; undefined = it is not. */
  private readySince: number | undefined;
  private wasEverReady = false;
  private readonly stopping = new AbortController();
  private readonly stopped = aborted(this.stopping.signal); // one listener for all starts
  private ended: Promise<void> = Promise.resolve();

  constructor(private readonly description: ServiceDescription) {
    this.name = description.name;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Resolves when it is ready (again). */
  whenReady(): Promise<void> {
    return this.ready.promise;
  }

  /** Keeps the process running; resolves when it was stopped. @throws StartFailure if it never became ready */
  run(): Promise<void> {
    return (this.ended = this.keepRunning());
  }

  /** Sends SIGTERM, and kills the process after `stopWithinMs` or when `hurry` is called. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.child?.kill('SIGTERM');
    const patience = setTimeout(() => this.hurry(), this.description.stopWithinMs);
    await this.ended.catch(() => undefined);
    clearTimeout(patience);
  }

  hurry(): void {
    this.child?.kill(this.description.hurryWith ?? 'SIGKILL');
  }

  hurryIfStopping(): void {
    if (this.hasToStop()) this.hurry();
  }

  private async keepRunning(): Promise<void> {
    const policy = this.description.policy ?? DEFAULT_POLICY;
    while (!this.hasToStop()) {
      await this.othersReady();
      if (this.hasToStop()) return;
      const neededBefore = this.deathsOfNeeded();
      const { how, readyForMs } = await this.runOnce();
      if (this.hasToStop()) return;
      const ownFault = this.deathsOfNeeded() === neededBefore;
      if (ownFault) this.failures = failuresInARow(policy, this.failures, readyForMs);
      if (!this.wasEverReady && this.failures >= policy.attemptsBeforeFirstReady)
        throw new StartFailure(this.failureMessage(how));
      const delay = ownFault ? delayAfter(policy, this.failures) : 0;
      this.description.onDeath?.(how, delay);
      await sleep(delay, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  private hasToStop(): boolean {
    return this.stopping.signal.aborted;
  }

  private async othersReady(): Promise<void> {
    const all = Promise.all((this.description.needs ?? []).map((service) => service.whenReady()));
    await Promise.race([all, this.stopped]);
  }

  /** From the start of one process to its end; returns how it ended. */
  private async runOnce(): Promise<{ how: string; readyForMs: number }> {
    const child = this.startChild();
    if (typeof child === 'string') return { how: child, readyForMs: 0 };
    this.child = child;
    const lifetime = new AbortController();
    const death = expiryOf(child).finally(() => {
      this.died++;
      lifetime.abort();
    });
    this.description.onStart?.();
    await this.waitUntilItAnswers(child, lifetime.signal);
    const how = await death;
    const readyForMs = this.readySince === undefined ? 0 : Date.now() - this.readySince;
    this.child = undefined;
    if (this.readySince !== undefined) this.ready = deferred();
    this.readySince = undefined;
    return { how, readyForMs };
  }

  /** The process, or why there is none: a full disk or a full process table must not end what once ran. */
  private startChild(): ChildProcess | string {
    try {
      return this.description.start();
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  private deathsOfNeeded(): number {
    return (this.description.needs ?? []).reduce((sum, { died }) => sum + died, 0);
  }

  private async waitUntilItAnswers(child: ChildProcess, lifetime: AbortSignal): Promise<void> {
    const tooLate = setTimeout(() => child.kill('SIGKILL'), this.description.readyWithinMs);
    while (!lifetime.aborted && !(await this.description.answers().catch(() => false))) {
      await sleep(PROBE_EVERY_MS, undefined, { signal: lifetime }).catch(() => undefined);
    }
    clearTimeout(tooLate);
    if (lifetime.aborted) return;
    this.readySince = Date.now();
    this.wasEverReady = true;
    this.ready.resolve();
  }

  private failureMessage(how: string): string {
    const words = this.description.lastOutput?.() ?? '';
    return `${this.name} does not start (${how})${words === '' ? '.' : `: ${words}`}`;
  }
}

function expiryOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code ?? '?'}`));
  });
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** When a process that ended is started again. */
export interface RestartPolicy {
  /** Milliseconds before each new start; the last one is repeated, and a process that was ready for longer begins anew. */
  readonly delaysMs: readonly number[];
  /** So many ends before it was ever ready end the start of the product: something is set up wrongly. */
  readonly attemptsBeforeFirstReady: number;
}

export const DEFAULT_POLICY: RestartPolicy = {
  delaysMs: [200, 500, 1_000, 2_000, 5_000, 10_000, 30_000],
  attemptsBeforeFirstReady: 2,
};

/** The failures in a row, after one more of a process that was ready for `readyForMs` before it. */
export const failuresInARow = ({ delaysMs }: RestartPolicy, before: number, readyForMs: number): number =>
  readyForMs > longest(delaysMs) ? 1 : before + 1;

/** Milliseconds to wait after so many failures in a row. */
export const delayAfter = ({ delaysMs }: RestartPolicy, failures: number): number =>
  delaysMs[failures - 1] ?? longest(delaysMs);

const longest = (delaysMs: readonly number[]): number => delaysMs.at(-1) ?? 0;
