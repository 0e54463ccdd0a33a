import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { EpochChanged, LogTampered } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';

/** Logs one line when a partition stops, one for each other reason, and one when it goes on. */
export class StopLog {
  private reason: string | undefined;

  constructor(private readonly logger: Pick<Logger, 'error' | 'info'>) {}

  stopped(why: string, err: unknown): void {
    if (why === this.reason) return;
    this.reason = why;
    const isSentence = err instanceof LogTampered || err instanceof EpochChanged || err instanceof StartFailure;
    this.logger.error(isSentence ? {} : { err }, `stopped: ${why}`);
  }

  resumed(): void {
    if (this.reason === undefined) return;
    this.reason = undefined;
    this.logger.info('no longer stopped');
  }
}
