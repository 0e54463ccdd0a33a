import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../statistics';
import type { LoadResult } from './run-load';

export interface Pace {
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
  const answers: Promise<number | undefined>[] = [];
  const late: number[] = [];
  while (answers.length < rate * seconds) {
    const due = Math.min(((performance.now() - startedAt) * rate) / 1_000, rate * seconds);
    while (answers.length < due) {
      const dueAt = startedAt + (answers.length * 1_000) / rate;
      late.push(performance.now() - dueAt);
      answers.push(send(url, next(), agent, dueAt));
    }
    await sleep(1);
  }
  const took = await Promise.all(answers);
  const answered = took.filter(isAnswered).length;
  const perSecond = (answered * 1_000) / (performance.now() - startedAt);
  agent.destroy();
  const warmUp = Math.min(WARM_UP_SECONDS, seconds / 2) * rate;
  const measured = took.slice(warmUp).filter(isAnswered);
  const [p50, p99, lateP99] = [quantile(measured, 0.5), quantile(measured, 0.99), quantile(late.slice(warmUp), 0.99)];
  return { perSecond, answered, failed: answers.length - answered, p50, p99, lateP99 };
}

const isAnswered = (latency: number | undefined) => latency !== undefined;

/** Resolves with the latency, ms; undefined for a request that is not answered as expected. */
const send = (url: string, { path, method, headers, body }: PacedRequest, agent: Agent, dueAt: number) =>
  new Promise<number | undefined>((resolve) => {
    const sent = request(new URL(path, url), { agent, method, headers }, (response) => {
      const isExpected = (response.statusCode ?? 500) < 400;
      response.once('close', () => resolve(isExpected ? performance.now() - dueAt : undefined)).resume();
    });
    sent.once('error', () => resolve(undefined)).end(body);
  });
