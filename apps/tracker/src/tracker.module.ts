import { join } from 'node:path';
import { Registry } from '@ledgerline/domain/registry/registry';
import { ApiKeySecret } from '@ledgerline/platform/api-keys/api-key-secret.entity';
import { SecretStore } from '@ledgerline/platform/api-keys/secret-store';
import type { Limits, Settings } from '@ledgerline/platform/config/settings';
import { openDataSource } from '@ledgerline/platform/database/data-source';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { chosenEventStore, openEventStore } from '@ledgerline/platform/event-store/event-store.factory';
import type { Hit, IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/intake-log.factory';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { LiveRegistry, type EventFold } from '@ledgerline/platform/registry/live-registry';
import { ImportSecret } from '@ledgerline/platform/salts/import-secret.entity';
import { SaltCache } from '@ledgerline/platform/salts/salt-cache';
import { SaltStore } from '@ledgerline/platform/salts/salt-store';
import { Salt } from '@ledgerline/platform/salts/salt.entity';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';
import type { DataSource } from 'typeorm';
import { Atlas } from './geo/atlas';
import { HealthController } from './health.controller';
import { RateLimits } from './http/rate-limits';
import { IntakeController } from './intake/intake.controller';
import { RecordHits } from './intake/record-hits.command';
import { RecordHitsHandler } from './intake/record-hits.handler';
import type { Tools } from './intake/tools';
import { Lifecycle } from './lifecycle';
import { ClickRecorder } from './redirect/click-recorder';
import { ClickSpool } from './redirect/click-spool';
import { Links } from './redirect/find-link';
import { RedirectController } from './redirect/redirect.controller';
import { Redirector } from './redirect/redirector';
import { RegistryLookup } from './registry/registry-lookup';
import { HitsPerVisitor } from './visitors/hits-per-visitor';
import { LinkOwners, SaltPrefetcher } from './visitors/salt-prefetcher';
import { ENTITIES, EVENT_STORE, INTAKE_LOG, LOGGER, SETTINGS, TOOLS } from './tokens';

const MAX_SPOOL_BYTES = 256 * 1024 * 1024;

/** The tracker, wired. */
@Module({})
export class TrackerModule {
  static with(settings: Settings, logger: Logger): DynamicModule {
    return {
      module: TrackerModule,
      imports: [CqrsModule.forRoot()],
      controllers: [HealthController, IntakeController, RedirectController],
      providers: [...stores(settings, logger), ...tools(settings, logger), RecordHitsHandler, SaltPrefetcher, Lifecycle],
    };
  }
}

const stores = (settings: Settings, logger: Logger): Provider[] => {
  const { databaseUrl, intakePartitions: partitions } = settings;
  const entities = [ApiKeySecret, Salt, ImportSecret];
  return [
    { provide: SETTINGS, useValue: settings },
    { provide: LOGGER, useValue: logger },
    { provide: EVENT_STORE, useFactory: () => openEventStore(chosenEventStore(settings)) },
    { provide: INTAKE_LOG, useFactory: () => openIntakeLog({ databaseUrl, partitions }) },
    { provide: ENTITIES, useFactory: () => openDataSource({ url: databaseUrl, name: 'tracker', max: 4, entities }) },
  ];
};

const hitsPerVisitor = ({ hitsPerVisitorPerDay: most }: Limits, logger: Logger): HitsPerVisitor =>
  new HitsPerVisitor(most, (websiteId) =>
    logger.warn({ websiteId, most }, 'a visitor has had as many hits today as bear a name; further ones are nobody’s'),
  );

const tools = (settings: Settings, logger: Logger): Provider[] => [
  Registry,
  LinkOwners,
  {
    provide: LiveRegistry,
    inject: [EVENT_STORE, Registry, LinkOwners],
    useFactory: (store: EventStore, ...folds: EventFold[]) => new LiveRegistry(store, folds, logger),
  },
  { provide: Atlas, useFactory: () => Atlas.open(settings.geoipDbPath) },
  { provide: RateLimits, useFactory: () => new RateLimits(settings.limits) },
  {
    provide: SaltCache,
    inject: [ENTITIES],
    useFactory: (entities: DataSource) => new SaltCache(new SaltStore(entities)),
  },
  {
    provide: RegistryLookup,
    inject: [Registry, LiveRegistry, ENTITIES],
    useFactory: (registry: Registry, live: LiveRegistry, entities: DataSource) =>
      new RegistryLookup(registry, live, new SecretStore(entities, settings.keyPepper)),
  },
  {
    provide: TOOLS,
    inject: [RegistryLookup, SaltCache, Atlas, RateLimits, CommandBus],
    useFactory: (
      registry: RegistryLookup,
      salts: SaltCache,
      atlas: Atlas,
      limits: RateLimits,
      bus: CommandBus,
    ): Tools => ({
      registry,
      salts,
      atlas,
      limits,
      hitsPerVisitor: hitsPerVisitor(settings.limits, logger),
      recordHits: (hits) => bus.execute(new RecordHits(hits)),
    }),
  },
  {
    provide: ClickRecorder,
    inject: [INTAKE_LOG],
    useFactory: (log: IntakeLog) => {
      const spool = new ClickSpool(join(settings.dataDir, 'spool'), MAX_SPOOL_BYTES);
      return new ClickRecorder((hits: readonly Hit[]) => log.send(hits), spool, logger);
    },
  },
  {
    provide: Redirector,
    inject: [Registry, EVENT_STORE, TOOLS, ClickRecorder],
    useFactory: (registry: Registry, store: EventStore, common: Tools, clicks: ClickRecorder) => {
      const links = new Links(registry, store);
      return new Redirector({ ...common, links, clicks, publicTrackUrl: settings.publicTrackUrl });
    },
  },
];
