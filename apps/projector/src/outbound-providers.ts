import type { Provider } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Settings } from '@ledgerline/platform/config/settings';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { resolveLocally, resolveName } from '@ledgerline/platform/outbound/exchange';
import type { WebhookTarget } from '@ledgerline/platform/outbound/webhook';
import { SubjectKeys } from '@ledgerline/platform/personal-data/personal-data-cipher';
import { SealedValues } from '@ledgerline/platform/personal-data/sealed-values';
import type { ReadStore } from '@ledgerline/platform/read-stores/read-stores';
import { deliveryWork } from './deliveries/deliveries';
import { deliveryMetrics } from './deliveries/delivery-metrics';
import { notices } from './deliveries/notices';
import { ObservedMessages } from './deliveries/observed-messages';
import { CheckSchedule, monitorChecks } from './monitors/monitor-checks';
import { loadRules } from './runner/erasure-rules';
import { ALL_STORES, EVENT_STORE, INTAKE_LOG, POOL } from './tokens';

const DELIVERIES = Symbol('sending to destinations');
const NOTICES = Symbol('mails about destinations');
const MONITOR_CHECKS = Symbol('checks of monitors');

/** Providers of what sends requests to others: messages to destinations, and checks of monitors. */
export const outboundProviders = (settings: Settings, logger: Logger): readonly Provider[] => [
  {
    provide: DELIVERIES,
    inject: [EVENT_STORE, POOL, Metrics],
    useFactory: (store: EventStore, pool: Pool, metrics: Metrics) =>
      deliveryWork({
        pool,
        store,
        settings,
        logger,
        signer: new HeadSigner(store, pool, settings.auditSigningKey),
        targets: new SealedValues<WebhookTarget>(new SubjectKeys(pool, settings.keyPepper)),
        onTry: deliveryMetrics(metrics, pool),
      }),
  },
  {
    provide: NOTICES,
    inject: [EVENT_STORE, POOL],
    useFactory: (store: EventStore, pool: Pool) => notices({ pool, store, settings, logger }),
  },
  {
    provide: ObservedMessages,
    inject: [EVENT_STORE, INTAKE_LOG, POOL, ALL_STORES],
    useFactory: (store: EventStore, intakeLog: IntakeLog, pool: Pool, stores: readonly ReadStore[]) =>
      new ObservedMessages({
        pool,
        store,
        intakeLog,
        logger,
        publicApiUrl: settings.publicApiUrl,
        erasures: async () => {
          const of = stores.flatMap((each) => [loadRules(each.pool, 'websites'), loadRules(each.pool, 'links')]);
          return Promise.all(of);
        },
      }),
  },
  {
    provide: MONITOR_CHECKS,
    inject: [EVENT_STORE, INTAKE_LOG, POOL],
    useFactory: (eventStore: EventStore, intakeLog: IntakeLog, pool: Pool) =>
      monitorChecks({
        schedule: new CheckSchedule(pool, () => eventStore.epoch()),
        intakeLog,
        headers: new SealedValues(new SubjectKeys(pool, settings.keyPepper)),
        guard: settings.monitorAllowPrivate
          ? { resolve: resolveLocally, allows: () => true }
          : { resolve: resolveName },
        logger,
      }),
  },
];
