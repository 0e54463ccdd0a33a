import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
} from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import type { SpanAttributes, Span, SpanOptions, Tracer } from '../tracing/tracing';

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** Spans of OpenTelemetry. Nothing is registered globally: libraries that look there for a tracer stay silent. */
export class OpenTelemetryTracer implements Tracer {
  private readonly spans = new AsyncLocalStorage<OpenTelemetrySpan>();

  constructor(private readonly tracer: OtelTracer) {}

  start(name: string, { kind, attributes, parent, startedAt }: SpanOptions): Span {
    const options = {
      kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind],
      attributes: writable(attributes ?? {}),
      ...(startedAt === undefined ? {} : { startTime: startedAt }),
    };
    return new OpenTelemetrySpan(this.tracer.startSpan(name, options, this.contextOf(parent)));
  }

  runIn<T>(span: Span, work: () => T): T {
    return span instanceof OpenTelemetrySpan ? this.spans.run(span, work) : work();
  }

  active(): Span | undefined {
    return this.spans.getStore();
  }

  private contextOf(parent: SpanOptions['parent']): Context {
    if (parent === undefined) return this.spans.getStore()?.context ?? ROOT_CONTEXT;
    const remote = parent === null ? null : parseTraceParent(parent);
    return remote === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true });
  }
}

class OpenTelemetrySpan implements Span {
  constructor(private readonly span: OtelSpan) {}

  get context(): Context {
    return trace.setSpan(ROOT_CONTEXT, this.span);
  }

  get traceparent(): string | undefined {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return (traceFlags & TraceFlags.SAMPLED) === 0 ? undefined : `00-${traceId}-${spanId}-01`;
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(writable(attributes));
  }

  end({ error, at }: { readonly error?: unknown; readonly at?: number } = {}): void {
    if (error !== undefined) {
      this.span.setStatus({ code: SpanStatusCode.ERROR });
      this.span.setAttribute('error.type', typeof error === 'string' ? error : classOf(error));
    }
    this.span.end(at);
  }
}

const classOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown');

/** Its types ask for lists that may be written. */
const writable = (attributes: SpanAttributes): Record<string, string | number | boolean | string[]> =>
  attributes as Record<string, string | number | boolean | string[]>;
