import { Module } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { IntakeWriter, IntakeWriterModule } from '../intake-writer';
import { EVENT_STORE, LOGGER, POOL, SETTINGS } from '../tokens';
import { AlertFigures, AlertFiguresModule } from './alert-figures';
import { AlertWorker } from './alert-worker';

/** Decides on alerts in every process of the api. */
@Module({
  imports: [AlertFiguresModule, IntakeWriterModule],
  providers: [
    {
      provide: AlertWorker,
      inject: [POOL, EVENT_STORE, IntakeWriter, AlertFigures, SETTINGS, LOGGER],
      useFactory: (
        pool: Pool,
        store: EventStore,
        intakeLog: IntakeWriter,
        figures: AlertFigures,
        { publicApiUrl }: Settings,
        logger: Logger,
      ) => new AlertWorker({ pool, store, intakeLog, figures, publicApiUrl, logger }),
    },
  ],
})
export class AlertWorkerModule {}
