import { Inject, Module } from '@nestjs/common';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { observeCopying } from '@ledgerline/platform/metrics/copying-metrics';
import { observeProjections } from '@ledgerline/platform/metrics/projection-metrics';
import { observeProcesses } from '@ledgerline/platform/processes/process-metrics';
import { ReadStores } from '@ledgerline/platform/read-stores/read-stores';
import type { Pool } from 'pg';
import { EVENT_STORE, POOL } from '../tokens';
import { MetricsController } from './metrics.controller';

/** What operators watch. */
@Module({ controllers: [MetricsController] })
export class MetricsModule {
  constructor(
    metrics: Metrics,
    { all: stores }: ReadStores,
    @Inject(POOL) main: Pool,
    @Inject(EVENT_STORE) eventStore: EventStore,
  ) {
    observeProjections(metrics, { main, stores, eventStore });
    observeCopying(metrics, main);
    observeProcesses(metrics, main);
  }
}
