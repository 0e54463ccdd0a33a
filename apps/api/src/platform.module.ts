import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Settings } from '@ledgerline/platform/config/settings';
import { openPool } from '@ledgerline/platform/database/pool';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { openEventStore } from '@ledgerline/platform/event-store/event-store.factory';
import { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { PersonalDataCipher } from '@ledgerline/platform/personal-data/personal-data-cipher';
import { SubjectKeys } from '@ledgerline/platform/personal-data/subject-keys';
import { KeyLease } from '@ledgerline/platform/registry/key-lease';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import type { Pool } from 'pg';
import { EVENT_STORE, LOGGER, POOL, SETTINGS } from './tokens';

/** Settings, logger, stores and the registry, used by all other modules. */
@Global()
@Module({})
export class PlatformModule implements OnApplicationShutdown {
  constructor(
    private readonly live: LiveRegistry,
    private readonly lease: KeyLease,
    @Inject(POOL) private readonly pool: Pool,
  ) {}

  static with(settings: Settings, logger: Logger): DynamicModule {
    const provided = [
      { provide: SETTINGS, useValue: settings },
      { provide: LOGGER, useValue: logger },
      {
        provide: POOL,
        useFactory: () => openPool({ url: settings.databaseUrl, name: 'api', max: 10, pipeline: true }),
      },
      { provide: EVENT_STORE, useFactory: () => openEventStore(settings) },
      {
        provide: HeadSigner,
        inject: [EVENT_STORE, POOL],
        useFactory: (store: EventStore, pool: Pool) => new HeadSigner(store, pool, settings.auditSigningKey),
      },
      {
        provide: SubjectKeys,
        inject: [POOL],
        useFactory: (pool: Pool) => new SubjectKeys(pool, settings.keyPepper),
      },
      {
        provide: PersonalDataCipher,
        inject: [SubjectKeys],
        useFactory: (keys: SubjectKeys) => new PersonalDataCipher(keys),
      },
      Registry,
      {
        provide: LiveRegistry,
        inject: [EVENT_STORE, Registry],
        useFactory: (store: EventStore, registry: Registry) => new LiveRegistry(store, [registry], logger),
      },
      {
        provide: KeyLease,
        inject: [LiveRegistry],
        useFactory: (live: LiveRegistry) => new KeyLease(live, settings.databaseUrl, 'api', logger),
      },
    ];
    return { module: PlatformModule, providers: provided, exports: provided };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.live.close();
    await this.lease.release();
    await this.pool.end();
  }
}
