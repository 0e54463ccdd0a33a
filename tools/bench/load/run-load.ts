import { fork } from 'node:child_process';
import { join } from 'node:path';
import { DIST } from '../installation/installation';

/** The argument of the load generator, as JSON on its command line. */
export interface LoadOptions {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second, evenly spread; absent = as many as possible. */
  readonly rate?: number;
  /** Page views in one request; absent = GET without a body. */
  readonly events?: number;
  /** Page views are of other visitors each time all that are prepared were sent; absent = of the same few thousand. */
  readonly newVisitors?: boolean;
  /** Random ones of the first so many of many links are followed. */
  readonly slugs?: number;
  /** Links are created, one in a request, in this organization and by this API key. */
  readonly links?: { readonly organizationId: string; readonly apiKey: string };
  /** Flags are evaluated for random people, by this API key. */
  readonly flags?: { readonly apiKey: string };
  /** Makes event ids unlike those of every other run. */
  readonly name: string;
}

export interface LoadResult {
  /** Answered as expected (2xx or 3xx), per second. */
  readonly perSecond: number;
  readonly answered: number;
  /** Answered otherwise, or not at all. */
  readonly failed: number;
  readonly p50: number;
  readonly p99: number;
  /** By how much the generator itself sent requests too late at a rate, 99th percentile, ms; it is part of the latencies. */
  readonly lateP99?: number;
}

/** A small young generation: a collection takes 2 ms instead of 8, which is added to latencies at a rate. */
const SHORT_PAUSES = ['--max-semi-space-size=4'];

/** Puts load on an address, from a separate process, which the signal ends. */
export function runLoad(options: LoadOptions, signal?: AbortSignal): Promise<LoadResult> {
  return new Promise((resolve, reject) => {
    const execArgv = [
      `--require=${join(DIST, 'scripts', 'supervisor', 'leave-with-parent.js')}`,
      ...(options.rate === undefined ? [] : SHORT_PAUSES),
    ];
    const generator = join(__dirname, 'load-generator.js');
    const child = fork(generator, [JSON.stringify(options)], { execArgv, ...(signal ? { signal } : {}) });
    child.once('message', (result) => resolve(result as LoadResult));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The load generator ended with ${code ?? 'a signal'}.`)));
  });
}
