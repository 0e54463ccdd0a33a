import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { Projector } from './runner/projector';
import { EVENT_STORE, INTAKE_LOG, POOL } from './tokens';

/** Starts the projector with the application, and stops it between two batches before the connections are closed. */
@Injectable()
export class Lifecycle implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(Projector) private readonly projector: Projector,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(INTAKE_LOG) private readonly intakeLog: IntakeLog,
    @Inject(POOL) private readonly pool: Pool,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.projector.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.projector.stop();
    await this.intakeLog.close();
    await this.eventStore.close();
    await this.pool.end();
  }
}
