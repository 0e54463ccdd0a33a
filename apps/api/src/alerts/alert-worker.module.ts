import { Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { IntakeItem, IntakeSender, SendResult } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { EVENT_STORE, LOGGER, POOL, SETTINGS } from '../tokens';
import { AlertFigures, AlertFiguresModule } from './alert-figures';
import { AlertWorker } from './alert-worker';

/** The intake log of this process, which is opened when something is sent for the first time. */
export class DecisionSender implements Pick<IntakeSender, 'send'>, OnApplicationShutdown {
  private opened: ReturnType<typeof openIntakeLog> | undefined;

  constructor(private readonly settings: Pick<Settings, 'databaseUrl' | 'intakePartitions'>) {}

  async send(items: readonly IntakeItem[]): Promise<SendResult> {
    const { databaseUrl, intakePartitions: partitions } = this.settings;
    this.opened ??= openIntakeLog({ databaseUrl, partitions });
    this.opened.catch(() => (this.opened = undefined)); // the next one opens it again
    return (await this.opened).send(items);
  }

  async onApplicationShutdown(): Promise<void> {
    await (await this.opened)?.close();
  }
}

/** Decides on alerts in every process of the api. */
@Module({
  imports: [AlertFiguresModule],
  providers: [
    {
      provide: DecisionSender,
      inject: [SETTINGS],
      useFactory: (settings: Settings) => new DecisionSender(settings),
    },
    {
      provide: AlertWorker,
      inject: [POOL, EVENT_STORE, DecisionSender, AlertFigures, SETTINGS, LOGGER],
      useFactory: (
        pool: Pool,
        store: EventStore,
        intakeLog: DecisionSender,
        figures: AlertFigures,
        { publicApiUrl }: Settings,
        logger: Logger,
      ) => new AlertWorker({ pool, store, intakeLog, figures, publicApiUrl, logger }),
    },
  ],
})
export class AlertWorkerModule {}
