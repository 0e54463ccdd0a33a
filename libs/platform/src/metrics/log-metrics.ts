import { Counter, Histogram } from 'prom-client';
import type { AppendResult, EventStore } from '../event-store/event-store';
import type { IntakeSender } from '../intake-log/intake-log';
import { sendTraced } from '../tracing/traced-hits';
import { traced } from '../tracing/tracing';
import type { Metrics } from './metrics';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Measures and traces the appends of a store; several in order count as one. */
export function observeAppends(store: EventStore, { registry }: Metrics): EventStore {
  const durations = new Histogram({
    name: 'ledgerline_event_store_append_duration_seconds',
    help: 'Duration of appends to the event store by outcome: stored, conflict or failed',
    labelNames: ['outcome'],
    buckets: BUCKETS,
    registers: [registry],
  });
  const observed = async <Result>(
    work: () => Promise<Result>,
    lastOf: (result: Result) => AppendResult | undefined,
  ) => {
    const end = durations.startTimer();
    return traced('append to the event store', { kind: 'client' }, async (set) => {
      const result = await work().catch((error: unknown) => {
        end({ outcome: 'failed' });
        throw error;
      });
      const last = lastOf(result);
      const outcome = last?.ok ? 'stored' : 'conflict';
      end({ outcome });
      set({ 'ledgerline.append.outcome': outcome, ...(last?.ok ? { 'ledgerline.log.position': last.cursor } : {}) });
      return result;
    });
  };
  const [append, appendInOrder] = [store.append.bind(store), store.appendInOrder.bind(store)];
  store.append = (...details) =>
    observed(
      () => append(...details),
      (result) => result,
    );
  store.appendInOrder = (appends) =>
    observed(
      () => appendInOrder(appends),
      (results) => results.at(-1),
    );
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
    const result = await sendTraced(hits, send).catch((error: unknown) => {
      end({ outcome: 'failed' });
      throw error;
    });
    end({ outcome: 'stored' });
    result.outcomes.forEach((outcome, at) => events.inc({ type: hits[at]?.event.type ?? '', outcome }));
    return result;
  };
  return log;
}
