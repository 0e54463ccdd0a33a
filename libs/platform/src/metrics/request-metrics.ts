import type { FastifyInstance } from 'fastify';
import { Histogram } from 'prom-client';
import type { Metrics } from './metrics';

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
