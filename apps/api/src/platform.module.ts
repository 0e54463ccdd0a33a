import { type DynamicModule, Global, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Pool } from 'pg';
import { linkRules } from '@ledgerline/domain/registry/record-changes';
import { Registry } from '@ledgerline/domain/registry/registry';
import { openEventStoreWhenUp } from '@ledgerline/engines/event-store.factory';
import type { Settings } from '@ledgerline/platform/config/settings';
import { endProcess } from '@ledgerline/platform/config/start-failure';
import { openPool } from '@ledgerline/platform/database/pool';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import { SealingFaults } from '@ledgerline/platform/event-store/verify-chain';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { observeAppends } from '@ledgerline/platform/metrics/log-metrics';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { PersonalDataCipher, SubjectKeys } from '@ledgerline/platform/personal-data/personal-data-cipher';
import { FlagValues } from '@ledgerline/platform/personal-data/sealed-values';
import { Heartbeat } from '@ledgerline/platform/processes/heartbeat';
import { checkAppends, checkReading, checkReadStoreReading } from '@ledgerline/platform/processes/store-checks';
import { ReadStores } from '@ledgerline/platform/read-stores/read-stores';
import { LinkLookup, StoredLinks } from '@ledgerline/platform/registry/link-lookup';
import { LiveRegistry, refuseWhileReplaced } from '@ledgerline/platform/registry/live-registry';
import { RegistryLease } from '@ledgerline/platform/registry/registry-lease';
import { organizationIds, readStoredRegistry } from '@ledgerline/platform/registry/stored-registry';
import { Telemetry } from '@ledgerline/platform/telemetry/telemetry';
import { SealingWatch } from './audit/sealing-watch';
import { COUNT_POOL, EVENT_STORE, HEALTH_POOL, LOGGER, POOL, SETTINGS } from './tokens';

/** The pools of connections: what is slow in one of them starves none of the others. */
const POOLS = [
  { provide: POOL, name: 'api', max: 8 },
  { provide: COUNT_POOL, name: 'api-counts', max: 2, connectTimeoutMs: 1_000, statementTimeoutMs: 1_000 },
  { provide: HEALTH_POOL, name: 'api-health', max: 4, connectTimeoutMs: 10_000, statementTimeoutMs: 5_000 },
];

/** Settings, logger, stores and the registry, used by all other modules. */
@Global()
@Module({})
export class PlatformModule implements OnApplicationShutdown {
  constructor(
    private readonly live: LiveRegistry,
    private readonly lease: RegistryLease,
    private readonly stores: ReadStores,
    private readonly modules: ModuleRef,
  ) {}

  static with(settings: Settings, logger: Logger): DynamicModule {
    const provided = [
      { provide: SETTINGS, useValue: settings },
      { provide: LOGGER, useValue: logger },
      ...databaseProviders(settings),
      ...eventStoreProviders(settings, logger),
      ...personalDataProviders(settings),
      ...registryProviders(settings, logger),
    ];
    return { module: PlatformModule, providers: provided, exports: provided };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.live.close();
    await this.lease.release();
    await this.stores.close();
    await Promise.all(POOLS.map(({ provide }) => this.modules.get<Pool>(provide).end()));
  }
}

const databaseProviders = (settings: Settings): Provider[] => [
  ...POOLS.map(({ provide, ...options }) => ({
    provide,
    useFactory: () => openPool({ url: settings.databaseUrl, pipeline: true, ...options }),
  })),
  {
    provide: ReadStores,
    inject: [POOL],
    useFactory: async (pool: Pool) => {
      const stores = ReadStores.open(settings.readDatabaseUrls, pool);
      await stores.assertPlacements();
      return stores;
    },
  },
];

const eventStoreProviders = (settings: Settings, logger: Logger): Provider[] => {
  const faults = new SealingFaults();
  return [
    { provide: Metrics, useFactory: () => new Metrics() },
    {
      provide: Telemetry,
      inject: [Metrics],
      useFactory: (metrics: Metrics) => Telemetry.start('api', settings, metrics, logger),
    },
    {
      provide: EVENT_STORE,
      inject: [Metrics, POOL],
      useFactory: async (metrics: Metrics, database: Pool) => {
        const created = () => organizationIds(database);
        const watch = { key: settings.auditSigningKey, database, created, watch: faults };
        return observeAppends(await openEventStoreWhenUp(settings, { logger, end: endProcess }, watch), metrics);
      },
    },
    {
      provide: Heartbeat,
      inject: [EVENT_STORE, ReadStores, Metrics],
      useFactory: (store: EventStore, stores: ReadStores, metrics: Metrics) => {
        const others = stores.all.filter(({ pool }) => pool.options.connectionString !== settings.databaseUrl);
        const checks = [checkReading(store), checkAppends(store), ...others.map(checkReadStoreReading)];
        return new Heartbeat({ app: 'api', databaseUrl: settings.databaseUrl, checks, metrics, logger });
      },
    },
    {
      provide: HeadSigner,
      inject: [EVENT_STORE, POOL],
      useFactory: (store: EventStore, pool: Pool) => new HeadSigner(store, pool, settings.auditSigningKey),
    },
    {
      provide: SealingWatch,
      inject: [EVENT_STORE, POOL],
      useFactory: (store: EventStore, pool: Pool) => new SealingWatch({ store, pool, settings, logger, faults }),
    },
  ];
};

const personalDataProviders = (settings: Settings): Provider[] => [
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
  { provide: FlagValues, inject: [SubjectKeys], useFactory: (keys: SubjectKeys) => new FlagValues(keys) },
];

const registryProviders = (settings: Settings, logger: Logger): Provider[] => [
  Registry,
  {
    provide: LinkLookup,
    inject: [POOL, EVENT_STORE, Registry],
    useFactory: (pool: Pool, store: EventStore, registry: Registry) =>
      new LinkLookup(new StoredLinks(pool), store, registry, linkRules),
  },
  {
    provide: LiveRegistry,
    inject: [EVENT_STORE, POOL, Registry, LinkLookup],
    useFactory: (store: EventStore, pool: Pool, registry: Registry, links: LinkLookup) => {
      const live = new LiveRegistry(store, [registry, links], logger, () => readStoredRegistry(pool));
      refuseWhileReplaced(store, live);
      return live;
    },
  },
  {
    provide: RegistryLease,
    inject: [LiveRegistry],
    useFactory: (live: LiveRegistry) => new RegistryLease(live, settings.databaseUrl, 'api', logger),
  },
];
