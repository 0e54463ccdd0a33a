import { pause } from '@ledgerline/platform/log/backoff';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import type { BoundGroup } from './bound-group';

/** Work on one group beside its batches. */
export interface GroupWork {
  readonly group: BoundGroup;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

interface Repetition {
  /** The pause between two times. */
  readonly everyMs: number;
  /** What is logged when it begins to fail, and when it succeeds again. */
  readonly began: string;
  readonly ended: string;
}

/** Does work at once and again after pauses, until the signal. */
export async function repeatWork(
  { logger, signal }: Pick<GroupWork, 'logger' | 'signal'>,
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
