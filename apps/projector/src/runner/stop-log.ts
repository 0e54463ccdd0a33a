import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { EpochChanged, LogTampered } from '@ledgerline/platform/log/log-reader';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { TablesOfAnotherProgram } from './resolve-tables';

/** Errors whose message says all. */
const SENTENCES = [LogTampered, EpochChanged, StartFailure, TablesOfAnotherProgram];

/** Logs one line when a partition stops, one for each other reason, and one when it goes on. */
export class StopLog {
  private reason: string | undefined;

  constructor(private readonly logger: Pick<Logger, 'error' | 'warn' | 'info'>) {}

  stopped(why: string, err: unknown): void {
    if (why === this.reason) return;
    this.reason = why;
    const isSentence = SENTENCES.some((type) => err instanceof type);
    const level = err instanceof TablesOfAnotherProgram ? 'warn' : 'error'; // an upgrade is under way
    this.logger[level](isSentence ? {} : { err }, `stopped: ${why}`);
  }

  resumed(): void {
    if (this.reason === undefined) return;
    this.reason = undefined;
    this.logger.info('no longer stopped');
  }
}
