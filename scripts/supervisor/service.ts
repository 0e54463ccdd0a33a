import { StartFailure } from '@ledgerline/platform/config/start-failure';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_POLICY, nextStart, type Death, type RestartPolicy } from './restart-policy';

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
  /** Called for each new process, and for each unexpected end that is followed by a restart. */
  readonly onStart?: () => void;
  readonly onDeath?: (how: string) => void;
}

const PROBE_EVERY_MS = 100;

/** Starts a process, restarts it with growing delays when it ends unexpectedly, and stops it. */
export class Service {
  readonly name: string;
  private child: ChildProcess | undefined;
  /** Its own failures, without those in which something it needs ended too. */
  private deaths: Death[] = [];
  private died = 0;
  private ready = deferred();
  private isReady = false;
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

  /** Keeps the process running; resolves when it was stopped, rejects when it failed too often. */
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
    while (!this.hasToStop()) {
      await this.othersReady();
      if (this.hasToStop()) return;
      const how = await this.runOnce();
      if (this.hasToStop()) return;
      const delay = nextStart(this.description.policy ?? DEFAULT_POLICY, this.deaths);
      if (delay === undefined) throw new StartFailure(this.failureMessage(how));
      this.description.onDeath?.(how);
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
  private async runOnce(): Promise<string> {
    const before = this.deathsOfNeeded();
    const child = this.description.start();
    this.child = child;
    const lifetime = new AbortController();
    const death = expiryOf(child).finally(() => {
      this.died++;
      lifetime.abort();
    });
    this.description.onStart?.();
    await this.waitUntilItAnswers(child, lifetime.signal);
    const how = await death;
    if (this.deathsOfNeeded() === before)
      this.deaths = [...this.deaths, { at: Date.now(), wasReady: this.isReady }].slice(-20);
    this.child = undefined;
    if (this.isReady) this.ready = deferred();
    this.isReady = false;
    return how;
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
    this.isReady = true;
    this.ready.resolve();
  }

  private failureMessage(how: string): string {
    const words = this.description.lastOutput?.() ?? '';
    const fate = this.deaths.some(({ wasReady }) => wasReady) ? 'keeps failing' : 'does not start';
    return `${this.name} ${fate} (${how})${words === '' ? '.' : `: ${words}`}`;
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
