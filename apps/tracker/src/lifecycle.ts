import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { SaltKeeper } from '@ledgerline/platform/salts/salt-keeper';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { ClickRecorder } from './redirect/click-recorder';
import { ENTITIES, EVENT_STORE, INTAKE_LOG } from './tokens';

const MINUTE_MS = 60_000;

/** What runs beside the requests, and the order in which everything ends once no request is left. */
@Injectable()
export class Lifecycle implements OnApplicationBootstrap, OnApplicationShutdown {
  private forgetting: NodeJS.Timeout | undefined;

  constructor(
    @Inject(ClickRecorder) private readonly clicks: ClickRecorder,
    @Inject(SaltKeeper) private readonly salts: SaltKeeper,
    @Inject(INTAKE_LOG) private readonly log: IntakeLog,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    @Inject(ENTITIES) private readonly entities: DataSource,
  ) {}

  onApplicationBootstrap(): void {
    this.forgetting = setInterval(() => this.salts.forgetTheDead(), MINUTE_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.forgetting);
    await this.clicks.close();
    await this.log.close();
    await this.store.close();
    await this.entities.destroy();
  }
}
