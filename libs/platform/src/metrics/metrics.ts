import type { IncomingMessage } from 'node:http';
import { getHeapStatistics } from 'node:v8';
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  type MetricObjectWithValues,
  type MetricValueWithName,
  Registry,
} from 'prom-client';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { credentialOf, isSameSecret } from '../api-keys/secret-store';
import { openPools } from '../database/pool';
import { unknownEvents } from '../log/log-reader';
import { withinTimeout } from '../log/timing';

/** A gauge that a store does not answer for is left out, or says so, ms. */
const READ_MS = 3_000;
/** Waking up each 10 ms, the default, costs an idle process 5 ms of CPU a second. */
const EVENT_LOOP_SAMPLED_MS = 100;

/** A metric with all its samples. */
export interface MetricFamily extends Omit<MetricObjectWithValues<Sample>, 'type'> {
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
}

/** `metricName` = which sample of a histogram. */
type Sample = Pick<MetricValueWithName<string>, 'value' | 'labels'> & { readonly metricName?: string };

/** The metrics of one process, in the text format of Prometheus. */
export class Metrics {
  readonly registry = new Registry();
  private readonly readings: (() => void | Promise<void>)[] = [];
  private reported: Promise<unknown> = Promise.resolve();

  constructor() {
    this.observePools();
    this.observeUnknownEvents();
  }

  /** Memory, CPU, event loop and garbage collection; once per process, as it goes on measuring until the end. */
  observeProcess(): void {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLED_MS });
    const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [this.registry] });
    const limit = gauge('nodejs_heap_size_limit_bytes', 'The most that the heap of a thread may take');
    const buffers = gauge('nodejs_array_buffers_bytes', 'Array buffers of this thread, outside of its heap');
    this.beforeReading(() => {
      limit.set(heapLimit());
      buffers.set(process.memoryUsage().arrayBuffers);
    });
  }

  /** Reads gauges whenever the metrics are asked for. */
  beforeReading(read: () => void | Promise<void>): void {
    this.readings.push(read);
  }

  text(): Promise<string> {
    return this.afterReading(() => this.registry.metrics());
  }

  families(): Promise<readonly MetricFamily[]> {
    const families = (): Promise<unknown> => this.registry.getMetricsAsJSON(); // its types name numbers
    return this.afterReading(families) as Promise<readonly MetricFamily[]>;
  }

  /** One after the other: gauges are emptied before they are read. */
  private afterReading<T>(report: () => Promise<T>): Promise<T> {
    const reported = this.reported.then(async () => {
      await Promise.all(this.readings.map((read) => withinTimeout(READ_MS, async () => read())));
      return report();
    });
    this.reported = reported.catch(() => undefined);
    return reported;
  }

  private observeUnknownEvents(): void {
    const events = new Counter({
      name: 'ledgerline_unknown_events_total',
      help: 'Events passed over, as often as they were read, because this version does not know their type or its version',
      labelNames: ['log', 'type', 'version'],
      registers: [this.registry],
    });
    this.beforeReading(() => {
      events.reset();
      for (const { log, type, version, events: read } of unknownEvents())
        events.inc({ log, type, version: String(version) }, read);
    });
  }

  private observePools(): void {
    const gauge = (name: string, help: string, ...labelNames: string[]) =>
      new Gauge({ name, help, labelNames, registers: [this.registry] });
    const connections = gauge('ledgerline_pool_connections', 'Connections to Postgres by pool', 'pool', 'state');
    const waiting = gauge('ledgerline_pool_waiting', 'Requests waiting for a connection', 'pool');
    const limit = gauge('ledgerline_pool_limit', 'The most connections of a pool', 'pool');
    this.beforeReading(() => {
      for (const each of [connections, waiting, limit]) each.reset();
      for (const [pool, { totalCount, idleCount, waitingCount, options }] of openPools()) {
        connections.inc({ pool, state: 'idle' }, idleCount);
        connections.inc({ pool, state: 'active' }, totalCount - idleCount);
        waiting.inc({ pool }, waitingCount);
        limit.inc({ pool }, options.max);
      }
    });
  }
}

const heapLimit = (): number => getHeapStatistics().heap_size_limit;

/** The most that the heap of a thread of this process may take, for its log. */
export const heapLimitMb = (): number => Math.round(heapLimit() / 2 ** 20);

/** The figures that a cache has of itself. */
interface ObservedCache {
  /** Bytes that it takes. */
  readonly size: number;
  readonly hits: number;
  readonly misses: number;
}

/** `ledgerline_<name>_cache_bytes` and `ledgerline_<name>_cache_reads_total` of a cache in the memory of this process. */
export function observeCache(
  { registry }: Pick<Metrics, 'registry'>,
  { name, bytes, reads }: { readonly name: string; readonly bytes: string; readonly reads: string },
  cache: ObservedCache,
): void {
  const registers = [registry];
  new Gauge({
    name: `ledgerline_${name}_cache_bytes`,
    help: bytes,
    registers,
    collect() {
      this.set(cache.size);
    },
  });
  new Counter({
    name: `ledgerline_${name}_cache_reads_total`,
    help: reads,
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      this.inc({ result: 'hit' }, cache.hits);
      this.inc({ result: 'miss' }, cache.misses);
    },
  });
}

type Asking = Pick<IncomingMessage, 'headers' | 'socket'>;

const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];
const LOOPBACK = /^(::1|(::ffff:)?127(\.\d{1,3}){3})$/;
const LOCAL_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/;

/**
 * Lets in those with METRICS_TOKEN; without one configured, only requests of this machine that no proxy has passed on.
 * @throws Problem AUTH_REQUIRED · FORBIDDEN
 */
export function assertMayReadMetrics(request: Asking, token: string | undefined): void {
  if (mayReadMetrics(request, token)) return;
  throw token === undefined
    ? new Problem('FORBIDDEN', 'Insufficient permissions')
    : new Problem('AUTH_REQUIRED', 'Authentication required');
}

/** Returns whether a request may read metrics, for a report of which other callers see a part. */
export const mayReadMetrics = (request: Asking, token: string | undefined): boolean =>
  token === undefined ? isLocal(request) : isSameSecret(credentialOf(request.headers) ?? '', token);

/** The host is looked at, too, because a page in a browser may have another name for this machine. */
const isLocal = ({ headers, socket }: Asking): boolean =>
  LOOPBACK.test(socket.remoteAddress ?? '') &&
  LOCAL_HOST.test(headers.host ?? '') &&
  FORWARDED.every((name) => headers[name] === undefined);
