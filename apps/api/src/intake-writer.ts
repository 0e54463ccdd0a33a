import { Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { IntakeItem, IntakeLog, IntakeSender, SendResult } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { SETTINGS } from './tokens';

/** Records observed events of the api in the intake log, which is opened with the first of them. */
@Injectable()
export class IntakeWriter implements Pick<IntakeSender, 'send'>, OnApplicationShutdown {
  private log: Promise<IntakeLog> | undefined;

  constructor(@Inject(SETTINGS) private readonly settings: Pick<Settings, 'databaseUrl' | 'intakePartitions'>) {}

  /** Resolves when the events are durable. @throws LogUnavailable */
  async send(items: readonly IntakeItem[]): Promise<SendResult> {
    const log = await (this.log ??= this.open());
    return log.send(items);
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

@Module({ providers: [IntakeWriter], exports: [IntakeWriter] })
export class IntakeWriterModule {}
