import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Histogram } from 'prom-client';
import type { Metrics } from '../metrics/metrics';
import { type Span, currentTracer } from '../tracing/tracing';

/** Asked by machines every few seconds. */
const UNTRACED: ReadonlySet<string | undefined> = new Set([undefined, '/health', '/health/ready', '/metrics']);

/**
 * A span for each request of a route, active in its handler; to be called before the routes are there. `joins`: a
 * `traceparent` header is continued, which lets callers choose the ids of traces and which of them are sampled.
 */
export function traceRequests(server: Pick<FastifyInstance, 'addHook'>, { joins }: { readonly joins: boolean }): void {
  const tracer = currentTracer();
  if (tracer === undefined) return;
  const spans = new WeakMap<FastifyRequest, Span>();
  server.addHook('onRequest', (request, _, done) => {
    const { method, routeOptions, headers } = request;
    if (!UNTRACED.has(routeOptions.url)) {
      const attributes = { 'http.request.method': method, 'http.route': routeOptions.url ?? '' };
      const sent = joins && typeof headers.traceparent === 'string' ? headers.traceparent : null;
      const span = tracer.start(`${method} ${routeOptions.url}`, { kind: 'server', attributes, parent: sent });
      spans.set(request, span);
    }
    done();
  });
  // TRICKY: not in the first hook, because a body arrives in the asynchronous context of its connection
  server.addHook('preValidation', (request, _, done) => {
    const span = spans.get(request);
    if (span) tracer.runIn(span, done);
    else done();
  });
  server.addHook('onResponse', (request, { statusCode }, done) => {
    const span = spans.get(request);
    span?.set({ 'http.response.status_code': statusCode });
    span?.end(statusCode >= 500 ? { error: String(statusCode) } : {});
    done();
  });
  server.addHook('onRequestAbort', (request, done) => {
    spans.get(request)?.end({ error: 'aborted' });
    done();
  });
}

/** Measures every request by its route, without the ids in it; to be called before the routes are there. */
export function observeRequests(server: Pick<FastifyInstance, 'addHook'>, { registry }: Metrics): void {
  const durations = new Histogram({
    name: 'ledgerline_http_request_duration_seconds',
    help: 'Duration of requests by method, route and status; requests without a route are "none"',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const known = new Map<string, Histogram.Internal<'method' | 'route' | 'status'>>();
  server.addHook('onResponse', ({ method, routeOptions: { url } }, { statusCode, elapsedTime }, done) => {
    const labels = { method: url === undefined ? 'none' : method, route: url ?? 'none', status: String(statusCode) };
    const key = `${labels.method} ${labels.route} ${labels.status}`;
    const duration = known.get(key) ?? durations.labels(labels);
    known.set(key, duration);
    duration.observe(elapsedTime / 1_000);
    done();
  });
}

/** Knows which methods the paths of a host have; a path that is a route by itself is no value of a parameter. */
export class RouteMethods {
  private readonly literal = new Map<string, Set<string>>();
  private readonly patterns = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();

  add(url: string, methods: readonly string[]): void {
    const isLiteral = !/[:*]/.test(url);
    const known = isLiteral ? this.literal.get(url) : this.patterns.get(url)?.methods;
    const all = new Set([...(known ?? []), ...methods]);
    if (isLiteral) this.literal.set(url, all);
    else this.patterns.set(url, { pattern: patternOf(url), methods: all });
  }

  /** Sorted; empty for a path without a route. */
  allowed(path: string): readonly string[] {
    const exact = this.literal.get(withoutEnd(path));
    if (exact) return [...exact].sort();
    const matching = [...this.patterns.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))].sort();
  }

  /** A path that is a route, asked for with another method, though it would fit the parameter of another route. */
  isShadowed(path: string, method: string): boolean {
    const exact = this.literal.get(withoutEnd(path));
    return exact !== undefined && !exact.has(method);
  }

  /** Every method of any path. */
  get all(): readonly string[] {
    const sets = [...this.literal.values(), ...[...this.patterns.values()].map(({ methods }) => methods)];
    return [...new Set(sets.flatMap((each) => [...each]))].sort();
  }

  /** Every route: `GET /v1/links/:id`. */
  get routes(): readonly string[] {
    const entries = [...this.literal, ...[...this.patterns].map(([url, { methods }]) => [url, methods] as const)];
    return entries.flatMap(([url, methods]) => [...methods].map((method) => `${method} ${url}`)).sort();
  }
}

/** The path of a request target. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

const withoutEnd = (path: string): string => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);

const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .split('/')
      .map((part) =>
        part === '*' ? '.*' : part.startsWith(':') ? '[^/]+' : part.replaceAll(/[.+?^$(){}|[\]\\]/g, '\\$&'),
      )
      .join('/')}/?$`,
  );
