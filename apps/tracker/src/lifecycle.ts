import type { IntakeSender } from '@ledgerline/platform/intake-log/intake-log';
import { RegistryLease } from '@ledgerline/platform/registry/registry-lease';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { ClickRecorder } from './click-spool/click-recorder';
import { ENTITIES, INTAKE_LOG, POOL } from './tokens';

/** The order in which everything ends once no request is left. */
@Injectable()
export class Lifecycle implements OnApplicationShutdown {
  constructor(
    @Inject(ClickRecorder) private readonly clicks: ClickRecorder,
    @Inject(INTAKE_LOG) private readonly log: IntakeSender,
    @Inject(LiveRegistry) private readonly live: LiveRegistry,
    @Inject(RegistryLease) private readonly lease: RegistryLease,
    @Inject(ENTITIES) private readonly entities: DataSource,
    @Inject(POOL) private readonly pool: Pool,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.clicks.close();
    await this.log.close();
    await this.live.close();
    await this.lease.release();
    await Promise.all([this.entities.destroy(), this.pool.end()]);
  }
}
