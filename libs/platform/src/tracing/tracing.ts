/** The attributes of a span about its work: never personal data, secrets or texts of callers. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** Work under way. */
export interface Span {
  /** The W3C trace context to continue elsewhere; undefined where the trace is not sampled. */
  readonly traceparent: string | undefined;
  set(attributes: SpanAttributes): void;
  /**
   * Ends the span. Of an error only the class is kept, as its message may hold what a caller sent. `at`: epoch ms, by
   * default now.
   */
  end(ended?: { readonly error?: unknown; readonly at?: number }): void;
}

export interface SpanOptions {
  readonly kind?: 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes?: SpanAttributes;
  /** A W3C trace context to continue; `null` = a trace of its own. By default the span that is active. */
  readonly parent?: string | null | undefined;
  /** Epoch ms; by default now. */
  readonly startedAt?: number;
}

/** Makes spans; {@link useTracer} gives the process one. */
export interface Tracer {
  start(name: string, options: SpanOptions): Span;
  /** Makes a span the active one in what `work` calls and awaits. */
  runIn<T>(span: Span, work: () => T): T;
  active(): Span | undefined;
}

let tracer: Tracer | undefined;

/** Undefined = spans cost nothing more than a comparison, as before the first call. */
export const useTracer = (used: Tracer | undefined): void => void (tracer = used);

export const currentTracer = (): Tracer | undefined => tracer;

/** Adds attributes to a span that {@link withSpan} has begun. */
type SetAttributes = (attributes: SpanAttributes) => void;

const NOWHERE: SetAttributes = () => undefined;

/** Runs `work` in a span below the active one. */
export async function withSpan<T>(
  name: string,
  options: SpanOptions,
  work: (set: SetAttributes) => Promise<T>,
): Promise<T> {
  if (tracer === undefined) return work(NOWHERE);
  const span = tracer.start(name, options);
  try {
    const result = await tracer.runIn(span, () => work((attributes) => span.set(attributes)));
    span.end();
    return result;
  } catch (error) {
    span.end({ error });
    throw error;
  }
}

/** The trace context of the active span, where it is sampled. */
export const activeTraceparent = (): string | undefined => tracer?.active()?.traceparent;
