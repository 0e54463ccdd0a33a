import { join } from 'node:path';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { linkRules } from '@ledgerline/domain/registry/record-changes';
import { Registry } from '@ledgerline/domain/registry/registry';
import { openEventStoreWhenUp } from '@ledgerline/engines/event-store.factory';
import { openIntakeSender } from '@ledgerline/engines/intake-sender.factory';
import { ApiKeySecret, SecretStore } from '@ledgerline/platform/api-keys/secret-store';
import type { Settings } from '@ledgerline/platform/config/settings';
import { endProcess } from '@ledgerline/platform/config/start-failure';
import { openDataSource } from '@ledgerline/platform/database/data-source';
import { openPool } from '@ledgerline/platform/database/pool';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { ProblemFilter } from '@ledgerline/platform/http/problem.filter';
import type { IntakeSender } from '@ledgerline/platform/intake-log/intake-log';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { StoreOutages } from '@ledgerline/platform/logging/outage-log';
import { observeHits } from '@ledgerline/platform/metrics/log-metrics';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { Heartbeat } from '@ledgerline/platform/processes/heartbeat';
import { checkReading, checkSending } from '@ledgerline/platform/processes/store-checks';
import { ProfileKey, ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { LinkLookup, StoredLinks } from '@ledgerline/platform/registry/link-lookup';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { RegistryLease } from '@ledgerline/platform/registry/registry-lease';
import { readStoredRegistry } from '@ledgerline/platform/registry/stored-registry';
import { ImportSecret, Salt, SaltStore, VisitorSalts } from '@ledgerline/platform/salts/visitor-salts';
import { Telemetry } from '@ledgerline/platform/telemetry/telemetry';
import { BrowserScriptController } from './browser-script.controller';
import { ClickRecorder, checkSpool, observeClicks } from './click-spool/click-recorder';
import { ClickSpool } from './click-spool/click-spool';
import { HealthController, MetricsController } from './health.controller';
import { TrackerRefusals } from './http/http-adapter';
import { RateLimits } from './http/rate-limits';
import { type IntakeDeps, RegistryLookup } from './intake/intake-context';
import { IntakeController } from './intake/intake.controller';
import { RecordHits, RecordHitsHandler } from './intake/record-hits';
import { ShutdownSequence, SaltRefresher } from './lifecycle';
import { RedirectController, type RedirectDeps } from './redirect/redirect.controller';
import { ENTITIES, EVENT_STORE, INTAKE_DEPS, INTAKE_LOG, LOGGER, POOL, REDIRECT_DEPS, SETTINGS } from './tokens';
import { GeoDatabase } from './visitors/geo-database';
import { HitsPerVisitor, VisitPeriods } from './visitors/visit-periods';

const MB = 1024 * 1024;
const REGISTRY_POOL = { max: 2, statementTimeoutMs: 10_000, pipeline: true };

/** The tracker, wired. */
@Module({})
export class TrackerModule {
  static with(settings: Settings, logger: Logger): DynamicModule {
    return {
      module: TrackerModule,
      imports: [CqrsModule.forRoot()],
      controllers: [HealthController, MetricsController, IntakeController, BrowserScriptController, RedirectController],
      providers: [
        ...stores(settings, logger),
        ...registryProviders(settings, logger),
        ...intakeProviders(settings, logger),
        ...refusalProviders(logger),
        ...clickProviders(settings, logger),
        RecordHitsHandler,
        SaltRefresher,
        ShutdownSequence,
      ],
    };
  }
}

const stores = (settings: Settings, logger: Logger): Provider[] => {
  const { databaseUrl, kafka, intakePartitions: partitions } = settings;
  const entities = [ApiKeySecret, Salt, ImportSecret, ProfileKey];
  return [
    { provide: SETTINGS, useValue: settings },
    { provide: LOGGER, useValue: logger },
    { provide: Metrics, useFactory: () => new Metrics() },
    {
      provide: Telemetry,
      inject: [Metrics],
      useFactory: (metrics: Metrics) => Telemetry.start('tracker', settings, metrics, logger),
    },
    { provide: EVENT_STORE, useFactory: () => openEventStoreWhenUp(settings, { logger, end: endProcess }) },
    {
      provide: INTAKE_LOG,
      inject: [Metrics],
      useFactory: async (metrics: Metrics) =>
        observeHits(await openIntakeSender({ databaseUrl, kafka, partitions }, { logger, end: endProcess }), metrics),
    },
    { provide: POOL, useFactory: () => openPool({ url: databaseUrl, name: 'registry', ...REGISTRY_POOL }) },
    { provide: ENTITIES, useFactory: () => openDataSource({ url: databaseUrl, name: 'tracker', max: 4, entities }) },
  ];
};

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
    useFactory: (store: EventStore, pool: Pool, registry: Registry, links: LinkLookup) =>
      new LiveRegistry(store, [registry, links], logger, () => readStoredRegistry(pool)),
  },
  {
    provide: RegistryLease,
    inject: [LiveRegistry],
    useFactory: (live: LiveRegistry) => new RegistryLease(live, settings.databaseUrl, 'tracker', logger),
  },
];

const intakeProviders = (settings: Settings, logger: Logger): Provider[] => [
  {
    provide: VisitorSalts,
    inject: [ENTITIES],
    useFactory: (entities: DataSource) => new VisitorSalts(new SaltStore(entities)),
  },
  { provide: VisitPeriods, useFactory: () => new VisitPeriods() },
  {
    provide: GeoDatabase,
    useFactory: async () => (await GeoDatabase.open(settings.geoipDbPath)).watch(logger),
  },
  { provide: RateLimits, useFactory: () => new RateLimits(settings.limits) },
  {
    provide: INTAKE_DEPS,
    inject: [
      Registry,
      LiveRegistry,
      RegistryLease,
      ENTITIES,
      VisitorSalts,
      VisitPeriods,
      CommandBus,
      RateLimits,
      GeoDatabase,
    ],
    useFactory: (
      registry: Registry,
      live: LiveRegistry,
      lease: RegistryLease,
      entities: DataSource,
      salts: VisitorSalts,
      visitPeriods: VisitPeriods,
      bus: CommandBus,
      limits: RateLimits,
      geo: GeoDatabase,
    ): IntakeDeps => ({
      registry: new RegistryLookup(registry, live, lease, new SecretStore(entities, settings.keyPepper)),
      salts,
      visitPeriods,
      geo,
      limits,
      hitsPerVisitor: hitsPerVisitor(settings.limits.hitsPerVisitorPerDay, logger),
      profileKeys: new ProfileKeys(entities),
      recordHits: (hits) => bus.execute(new RecordHits(hits)),
    }),
  },
];

const refusalProviders = (logger: Logger): Provider[] => [
  {
    provide: StoreOutages,
    inject: [EVENT_STORE, INTAKE_LOG],
    useFactory: (store: EventStore, log: IntakeSender) =>
      new StoreOutages(logger, async () => {
        await Promise.all([store.head(0), log.probe()]);
        return true;
      }),
  },
  {
    provide: ProblemFilter,
    inject: [RateLimits, StoreOutages],
    useFactory: (limits: RateLimits, outages: StoreOutages) =>
      new ProblemFilter(new TrackerRefusals(limits), outages, logger),
  },
];

const clickProviders = (settings: Settings, logger: Logger): Provider[] => [
  {
    provide: ClickRecorder,
    inject: [INTAKE_LOG, Metrics],
    useFactory: async (log: IntakeSender, metrics: Metrics) => {
      const spool = new ClickSpool(spoolFolder(settings), settings.clickRoomMb * MB);
      const clicks = new ClickRecorder(log, spool, logger, settings.unrecordedClicks);
      observeClicks(clicks, spool, metrics);
      await clicks.open();
      return clicks;
    },
  },
  {
    provide: Heartbeat,
    inject: [EVENT_STORE, INTAKE_LOG, ClickRecorder, Metrics],
    useFactory: (store: EventStore, log: IntakeSender, clicks: ClickRecorder, metrics: Metrics) => {
      const checks = [
        checkReading(store),
        checkSending(log, settings.kafka === undefined ? 'database' : 'kafka'),
        checkSpool(clicks, spoolFolder(settings)),
      ];
      return new Heartbeat({ app: 'tracker', databaseUrl: settings.databaseUrl, checks, metrics, logger });
    },
  },
  {
    provide: REDIRECT_DEPS,
    inject: [INTAKE_DEPS, LinkLookup, ClickRecorder, Registry],
    useFactory: (deps: IntakeDeps, links: LinkLookup, clicks: ClickRecorder, registry: Registry): RedirectDeps => ({
      ...deps,
      links,
      clicks,
      registry,
      publicTrackUrl: settings.publicTrackUrl,
    }),
  },
];

const spoolFolder = ({ dataDir }: Settings): string => join(dataDir, 'spool');

const hitsPerVisitor = (max: number, logger: Logger): HitsPerVisitor =>
  new HitsPerVisitor(max, (websiteId) =>
    logger.warn(
      { websiteId, max },
      'a visitor has reached the hits of a day; further ones are recorded without visitor',
    ),
  );
