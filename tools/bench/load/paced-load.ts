import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../statistics';
import type { LoadResult } from './run-load';

interface Pace {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second. */
  readonly rate: number;
}

export interface PacedRequest {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Until V8 has compiled the sender and it has its connections: the latencies of these requests are its own. */
const WARM_UP_SECONDS = 2;

/**
 * Sends requests evenly spread over each second, whether or not earlier ones are answered. A latency begins when its
 * request is due, so that waiting for a free connection counts; those of the first requests are left out. autocannon
 * sends those of a second all at once.
 */
export async function pacedLoad(
  { url, connections, seconds, rate }: Pace,
  next: () => PacedRequest,
): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const startedAt = performance.now();
  const took = new Float64Array(Math.ceil(rate * seconds)); // TRICKY: the heap does not grow with an hour of requests
  const late = new Float64Array(took.length);
  let sent = 0;
  let pending = 0;
  while (sent < took.length) {
    const due = Math.min(((performance.now() - startedAt) * rate) / 1_000, took.length);
    for (; sent < due; sent++, pending++) {
      const nth = sent;
      const dueAt = startedAt + (sent * 1_000) / rate;
      late[nth] = performance.now() - dueAt;
      void send(url, next(), agent, dueAt).then((latency = NaN) => {
        took[nth] = latency;
        pending--;
      });
    }
    await sleep(1);
  }
  while (pending > 0) await sleep(1);
  const answered = took.filter(isAnswered).length;
  const perSecond = (answered * 1_000) / (performance.now() - startedAt);
  agent.destroy();
  const measuredSince = Math.min(WARM_UP_SECONDS, seconds / 2) * rate;
  const latencies = [...took.subarray(measuredSince).filter(isAnswered)];
  const lateP99 = quantile([...late.subarray(measuredSince)], 0.99);
  return {
    perSecond,
    answered,
    failed: sent - answered,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    lateP99,
  };
}

const isAnswered = (latency: number) => !Number.isNaN(latency);

/** Resolves with the latency, ms; undefined for a request that is not answered as expected. */
const send = (url: string, { path, method, headers, body }: PacedRequest, agent: Agent, dueAt: number) =>
  new Promise<number | undefined>((resolve) => {
    const sent = request(new URL(path, url), { agent, method, headers }, (response) => {
      const isExpected = (response.statusCode ?? 500) < 400;
      response.once('close', () => resolve(isExpected ? performance.now() - dueAt : undefined)).resume();
    });
    sent.once('error', () => resolve(undefined)).end(body);
  });
