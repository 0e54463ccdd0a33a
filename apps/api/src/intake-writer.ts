import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { SETTINGS } from './tokens';

/** Records observed events of the api in the intake log, which is opened with the first of them. */
@Injectable()
export class IntakeWriter implements OnApplicationShutdown {
  private log: Promise<IntakeLog> | undefined;

  constructor(@Inject(SETTINGS) private readonly settings: Pick<Settings, 'databaseUrl' | 'intakePartitions'>) {}

  /** Resolves when the event is durable; one with the same id is recorded once within 48 hours. @throws LogUnavailable */
  async record(event: ObservedEvent, subject: string): Promise<void> {
    const log = await (this.log ??= this.open());
    await log.send([{ event, subject, dedupe: '48h' }]);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.log?.then((log) => log.close());
  }

  private open(): Promise<IntakeLog> {
    const { databaseUrl, intakePartitions: partitions } = this.settings;
    const opening = openIntakeLog({ databaseUrl, partitions });
    opening.catch(() => (this.log = undefined)); // the next event tries again; whoever waits has the error
    return opening;
  }
}
