import { Counter, Histogram } from 'prom-client';
import type { AppendResult, EventStore } from '../event-store/event-store';
import type { IntakeSender, IntakeItem, SendResult } from '../intake-log/intake-log';
import { withSpan, currentTracer, type SpanAttributes, type Span, type Tracer } from '../tracing/tracing';
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
    return withSpan('append to the event store', { kind: 'client' }, async (set) => {
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
  const append = store.append.bind(store);
  const appendInOrder = store.appendInOrder.bind(store);
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

/** Traces of one call that get a span of their own; further ones end at their request. */
const MAX_TRACES = 32;

/**
 * Sends hits in a span of each trace that they come from: hits of several requests share a call, and a span has one
 * parent. What is sent carries the trace context of these spans, which projectors continue.
 */
async function sendTraced(
  hits: readonly IntakeItem[],
  send: (hits: readonly IntakeItem[]) => Promise<SendResult>,
): Promise<SendResult> {
  const tracer = currentTracer();
  if (tracer === undefined || hits.every(({ trace }) => trace === undefined)) return send(hits);
  const spans = spansOf(hits, tracer);
  try {
    const result = await send(hits.map((hit) => ({ ...hit, trace: spans.get(hit.trace)?.traceparent })));
    const positions = positionsIn(result);
    for (const span of spans.values()) span.set(positions);
    for (const span of spans.values()) span.end();
    return result;
  } catch (error) {
    for (const span of spans.values()) span.end({ error });
    throw error;
  }
}

function spansOf(hits: readonly IntakeItem[], tracer: Tracer): ReadonlyMap<string | undefined, Span> {
  const spans = new Map<string | undefined, Span>();
  const attributes = { 'messaging.batch.message_count': hits.length };
  for (const { trace } of hits) {
    if (trace === undefined || spans.has(trace) || spans.size === MAX_TRACES) continue;
    spans.set(trace, tracer.start('append to the intake log', { kind: 'producer', parent: trace, attributes }));
  }
  return spans;
}

/** Where the newest of them are, as a projector names it, too. */
const positionsIn = ({ positions }: SendResult): SpanAttributes => ({
  'ledgerline.log.positions': [...positions].map(([partition, cursor]) => `${partition}:${cursor}`),
});
