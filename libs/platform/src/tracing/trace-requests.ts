import type { FastifyInstance, FastifyRequest } from 'fastify';
import { currentTracer, type Span } from './tracing';

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
