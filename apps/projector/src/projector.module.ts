import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import type { Pool } from 'pg';
import { openEventStoreWhenUp } from '@ledgerline/engines/event-store.factory';
import { observeCopying } from '@ledgerline/kafka/copying';
import type { Settings } from '@ledgerline/platform/config/settings';
import { endProcess } from '@ledgerline/platform/config/start-failure';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { addPublicKey } from '@ledgerline/platform/event-store/head-signer';
import { HeadSigning } from '@ledgerline/platform/event-store/head-signing';
import { keyIdOf } from '@ledgerline/platform/event-store/head-statement';
import { StatementChain } from '@ledgerline/platform/event-store/statement-chain';
import { statementFile } from '@ledgerline/platform/event-store/statement-memory';
import { SealingFaults, UNACKNOWLEDGED } from '@ledgerline/platform/event-store/verify-chain';
import { maintainDeduplication } from '@ledgerline/platform/intake-log/deduplication';
import { dropHitTraces } from '@ledgerline/platform/intake-log/encoded-hit';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { signIntakeHeads } from '@ledgerline/platform/intake-log/signed-intake-heads';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { observeProjections } from '@ledgerline/platform/metrics/projection-metrics';
import { observeBackups } from '@ledgerline/platform/processes/backups';
import { Heartbeat } from '@ledgerline/platform/processes/heartbeat';
import { checkReadStore, checkReading, observeProcesses } from '@ledgerline/platform/processes/store-checks';
import type { ReadStore } from '@ledgerline/platform/read-stores/read-stores';
import { organizationIds } from '@ledgerline/platform/registry/stored-registry';
import { destroyExpiredSalts } from '@ledgerline/platform/salts/visitor-salts';
import { Telemetry } from '@ledgerline/platform/telemetry/telemetry';
import { openCopier, type StoppableCopier } from './copier/copier';
import { dropOldDeliveries, eraseDeliveries } from './deliveries/kept-deliveries';
import { putInForce } from './erasures/put-in-force';
import { PayloadRewriter } from './erasures/rewrite-payloads';
import { runErasing, runFileRewriting, runRewriting } from './erasures/run-erasing';
import { MetricsServer } from './metrics-server';
import { droppingOldResults } from './monitors/kept-results';
import { openProjectionPool, openStorePools } from './open-pool';
import { outboundProviders } from './outbound-providers';
import { fillFirst } from './rebuild/fill-first';
import { keepVersions } from './rebuild/keep-versions';
import { takeOver } from './rebuild/prepare';
import { runReconciling } from './reconcile/run-reconciling';
import { boundGroups } from './runner/bound-group';
import type { GroupWork, MaintenanceTask } from './runner/group-work';
import { compactionMetrics, sealingMetrics, stepMetrics, stepTraces } from './runner/observers';
import { Projector } from './runner/projector';
import { SignedLog } from './runner/signed-log';
import { runSnapshotErasing } from './snapshots/erase-from-snapshots';
import { ALL_STORES, COPIER, EVENT_STORE, HEAD_SIGNING, INTAKE_LOG, POOL, READ_STORES } from './tokens';

/** Periodic tasks of the projector. */
const MAINTENANCE: readonly MaintenanceTask[] = [
  { name: 'drop seen ids', run: (pool, now) => maintainDeduplication(pool, now) },
  { name: 'destroy expired salts', run: (pool, now) => destroyExpiredSalts(pool, now) },
  { name: 'drop old deliveries', run: (pool) => dropOldDeliveries(pool) },
  { name: 'drop traces of hits', run: (pool, now) => dropHitTraces(pool, now) },
];

/** The projector, wired: it starts with the application, and stops between two batches before its connections close. */
@Module({})
export class ProjectorModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(Projector) private readonly projector: Projector,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
    @Inject(INTAKE_LOG) private readonly intakeLog: IntakeLog,
    @Inject(POOL) private readonly pool: Pool,
    @Inject(READ_STORES) private readonly stores: readonly ReadStore[],
    @Inject(ALL_STORES) private readonly allStores: readonly ReadStore[],
    @Inject(COPIER) private readonly copier: StoppableCopier,
    @Inject(HEAD_SIGNING) private readonly signing: HeadSigning | null,
  ) {}

  static with(settings: Settings, logger: Logger): DynamicModule {
    return {
      module: ProjectorModule,
      providers: [
        ...eventStoreProviders(settings, logger),
        ...storeProviders(settings),
        ...telemetryProviders(settings, logger),
        {
          provide: COPIER,
          inject: [INTAKE_LOG, Metrics],
          useFactory: (intakeLog: IntakeLog, metrics: Metrics) => openCopier(settings, intakeLog, metrics, logger),
        },
        projectorProvider(settings, logger),
        ...outboundProviders(settings, logger),
      ],
    };
  }

  onApplicationBootstrap(): Promise<void> {
    this.copier.start();
    this.signing?.start();
    return this.projector.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.copier.stop();
    await this.projector.stop();
    await this.signing?.stop();
    await this.intakeLog.close();
    await this.eventStore.close();
    const pools = new Set([this.pool, ...[...this.stores, ...this.allStores].map(({ pool }) => pool)]);
    await Promise.all([...pools].map((pool) => pool.end()));
  }
}

const eventStoreProviders = (settings: Settings, logger: Logger): Provider[] => {
  const onFault = (organization: string, reason: string | null) => {
    if (organization === UNACKNOWLEDGED) return; // logged where it is found
    if (reason === null)
      logger.warn({ organization }, 'the events of an organization, or of all (*), are sealed again');
    else logger.error({ organization, reason }, 'the events of an organization, or of all (*), are not sealed');
  };
  const seal = { key: settings.auditSigningKey, onFault };
  return [
    {
      provide: EVENT_STORE,
      inject: [POOL],
      useFactory: async (pool: Pool) => {
        await addPublicKey(pool, seal.key);
        const memory = { statementFile: statementFile(settings.dataDir), logger };
        return openEventStoreWhenUp(
          settings,
          { logger, end: endProcess },
          { ...seal, ...memory, created: () => organizationIds(pool), ownOnly: true, database: pool },
        );
      },
    },
    {
      provide: HEAD_SIGNING,
      inject: [EVENT_STORE, POOL],
      // on EventStoreDB the store has a sealer
      useFactory: (store: EventStore, database: Pool) =>
        settings.eventStoreUrl === undefined
          ? new HeadSigning({
              store,
              database,
              statements: new StatementChain({
                database,
                key: seal.key,
                file: statementFile(settings.dataDir),
                logger,
              }),
              faults: new SealingFaults(database, onFault),
              keyId: keyIdOf(seal.key),
              logger,
            })
          : null,
    },
  ];
};

const storeProviders = ({
  databaseUrl,
  readDatabaseUrls,
  projectorStores: places,
  intakePartitions: partitions,
}: Settings): Provider[] => [
  { provide: INTAKE_LOG, useFactory: () => openIntakeLog({ databaseUrl, partitions }) },
  { provide: POOL, useFactory: () => openProjectionPool(databaseUrl, { max: 4 }) },
  {
    provide: READ_STORES,
    useFactory: () => openStorePools(readDatabaseUrls, places ? { places } : {}),
  },
  {
    provide: ALL_STORES,
    inject: [READ_STORES],
    useFactory: (own: readonly ReadStore[]) => (places ? openStorePools(readDatabaseUrls) : own),
  },
];

const telemetryProviders = (settings: Settings, logger: Logger): Provider[] => [
  { provide: Metrics, useFactory: () => new Metrics() },
  {
    provide: Telemetry,
    inject: [Metrics],
    useFactory: (metrics: Metrics) => Telemetry.start('projector', settings, metrics, logger),
  },
  {
    provide: MetricsServer,
    inject: [Metrics],
    useFactory: (metrics: Metrics) => new MetricsServer(metrics, settings, logger),
  },
  {
    provide: Heartbeat,
    inject: [EVENT_STORE, READ_STORES, COPIER, Metrics],
    useFactory: (store: EventStore, stores: readonly ReadStore[], copier: StoppableCopier, metrics: Metrics) => {
      const own = settings.readDatabaseUrls.length > 1 ? stores.map(checkReadStore) : [];
      const checks = [checkReading(store), ...own, ...copier.checks];
      return new Heartbeat({ app: 'projector', databaseUrl: settings.databaseUrl, checks, metrics, logger });
    },
  },
];

const projectorProvider = (settings: Settings, logger: Logger): Provider => ({
  provide: Projector,
  inject: [EVENT_STORE, INTAKE_LOG, POOL, READ_STORES, ALL_STORES, Metrics, Telemetry],
  useFactory: (
    eventStore: EventStore,
    intakeLog: IntakeLog,
    pool: Pool,
    stores: readonly ReadStore[],
    allStores: readonly ReadStore[],
    metrics: Metrics,
  ) => {
    const signed = new SignedLog({
      log: intakeLog,
      store: eventStore,
      database: pool,
      key: settings.auditSigningKey,
      logger,
    });
    const groups = boundGroups({ eventStore, intakeLog: signed, pool, stores, spillTo: settings.dataDir });
    observeProjections(metrics, { main: pool, stores, eventStore, settings });
    observeCopying(metrics, pool);
    observeProcesses(metrics, pool);
    observeBackups(metrics, pool);
    const signing = { store: eventStore, database: pool, key: settings.auditSigningKey, app: 'projector' };
    const maintenance: readonly MaintenanceTask[] = [
      ...MAINTENANCE,
      {
        name: 'erase deliveries',
        run: (main) =>
          eraseDeliveries(
            main,
            allStores.map((each) => each.pool),
          ),
      },
      droppingOldResults(stores, settings.monitorResultDays),
      { name: 'sign intake heads', run: (_, now) => signIntakeHeads(signing, now) },
    ];
    const observer = { measure: stepMetrics(metrics), trace: stepTraces(pool, logger) };
    const sealing = sealingMetrics(metrics);
    const compaction = compactionMetrics(metrics);
    const erase = runErasing(eventStore);
    const rewrite = runRewriting(new PayloadRewriter({ store: eventStore, database: pool, stores: allStores }));
    const rewriteOldFiles = runFileRewriting(pool);
    const { dataDir: spillTo } = settings;
    const eraseFromSnapshots = runSnapshotErasing({ eventStore, intakeLog: signed, spillTo }, settings.databaseUrl);
    const beside = {
      takeOver: takeOver(groups, settings.acceptDowntime),
      fillFirst: fillFirst((readStore) => putInForce(readStore, eventStore)),
      keepVersions,
      reconcile: runReconciling,
      erase: async (work: GroupWork) => {
        await Promise.all([erase(work), rewrite(work), rewriteOldFiles(work), eraseFromSnapshots(work)]);
      },
    };
    return new Projector({ pool, groups, maintenance, logger, observer, sealing, compaction, ...beside });
  },
});
