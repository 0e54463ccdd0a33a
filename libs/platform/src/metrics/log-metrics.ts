import { Counter, Histogram } from 'prom-client';
import type { EventStore } from '../event-store/event-store';
import type { IntakeSender } from '../intake-log/intake-log';
import type { Metrics } from './metrics';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Measures the appends of a store. */
export function observeAppends(store: EventStore, { registry }: Metrics): EventStore {
  const durations = new Histogram({
    name: 'ledgerline_event_store_append_duration_seconds',
    help: 'Duration of appends to the event store by outcome: stored, conflict or failed',
    labelNames: ['outcome'],
    buckets: BUCKETS,
    registers: [registry],
  });
  const append = store.append.bind(store);
  store.append = async (...details) => {
    const end = durations.startTimer();
    const result = await append(...details).catch((error: unknown) => {
      end({ outcome: 'failed' });
      throw error;
    });
    end({ outcome: result.ok ? 'stored' : 'conflict' });
    return result;
  };
  return store;
}

/** Measures what is sent to a log, and counts its events by type, duplicates apart. */
export function observeHits(log: IntakeSender, { registry }: Metrics): IntakeSender {
  const durations = new Histogram({
    name: 'ledgerline_intake_append_duration_seconds',
    help: 'Duration until events are durable in the intake log by outcome: stored or failed',
    labelNames: ['outcome'],
    buckets: BUCKETS,
    registers: [registry],
  });
  const events = new Counter({
    name: 'ledgerline_intake_events_total',
    help: 'Events by type and outcome: stored, duplicate, or accepted by Kafka',
    labelNames: ['type', 'outcome'],
    registers: [registry],
  });
  const send = log.send.bind(log);
  log.send = async (hits) => {
    const end = durations.startTimer();
    const result = await send(hits).catch((error: unknown) => {
      end({ outcome: 'failed' });
      throw error;
    });
    end({ outcome: 'stored' });
    result.outcomes.forEach((outcome, at) => events.inc({ type: hits[at]?.event.type ?? '', outcome }));
    return result;
  };
  return log;
}
