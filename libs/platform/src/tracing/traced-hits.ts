import type { IntakeItem, SendResult } from '../intake-log/intake-log';
import { currentTracer, type Attributes, type Span, type Tracer } from './tracing';

/** Traces of one call that get a span of their own; further ones end at their request. */
const MAX_TRACES = 32;

/**
 * Sends hits in a span of each trace that they come from: hits of several requests share a call, and a span has one
 * parent. What is sent carries the trace context of these spans, which projectors continue.
 */
export async function sendTraced(
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
const positionsIn = ({ positions }: SendResult): Attributes => ({
  'ledgerline.log.positions': [...positions].map(([partition, cursor]) => `${partition}:${cursor}`),
});
