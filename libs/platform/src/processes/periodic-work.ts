import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { pause } from '../log/timing';
import type { Logger } from '../logging/logger';
import { OutageLog } from '../logging/outage-log';

/** How work is repeated. */
export interface Repetition {
  /** The pause between two times. */
  readonly everyMs: number;
  /** The messages that are logged when it begins to fail, and when it succeeds again. */
  readonly began: string;
  readonly ended: string;
}

interface Surroundings {
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly signal: AbortSignal;
}

/** Does work at once and again after pauses, until the signal. */
export async function repeatWork(
  { logger, signal }: Surroundings,
  { everyMs, began, ended }: Repetition,
  work: () => Promise<void>,
): Promise<void> {
  const outage = new OutageLog(logger, { began, ended });
  const failed = (error: unknown) => {
    if (!signal.aborted) outage.failed(error);
  };
  while (!signal.aborted) {
    await work().then(() => outage.succeeded(), failed);
    await pause(everyMs, signal);
  }
}

/** Work that an application repeats from its start to its end. */
export abstract class PeriodicWork implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private loop: Promise<void> | undefined;

  constructor(
    private readonly logger: Surroundings['logger'],
    private readonly repetition: Repetition,
  ) {}

  abstract runOnce(): Promise<void>;

  /** Aborted when the application ends. */
  protected get signal(): AbortSignal {
    return this.stopping.signal;
  }

  onApplicationBootstrap(): void {
    this.loop ??= repeatWork({ logger: this.logger, signal: this.signal }, this.repetition, () => this.runOnce());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loop;
  }
}
