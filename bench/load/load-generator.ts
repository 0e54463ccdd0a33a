import autocannon, { type Request } from 'autocannon';
import { person } from '../../scripts/traffic/people';
import { bodies } from './bodies';
import type { LoadResult, LoadOptions } from './run-load';

const PEOPLE = 500;

/** The process behind {@link runLoad}: runs one load and reports the result to its parent. */
async function main(options: LoadOptions): Promise<void> {
  const { url, connections, seconds, rate, events } = options;
  const agents = Array.from({ length: PEOPLE }, (_, number) => person(1, number).browser.userAgent);
  const body = events === undefined ? undefined : bodies(options.name, events);
  let turn = 0;
  const setupRequest = (request: Request): Request => {
    const headers = { 'user-agent': agents[turn++ % PEOPLE] ?? '', 'content-type': 'application/json' };
    return body === undefined ? { ...request, headers } : { ...request, method: 'POST', headers, body: body() };
  };
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    ...(rate === undefined ? {} : { overallRate: rate }),
    requests: [{ setupRequest }],
  });
  const answered = result['2xx'] + result['3xx'];
  const hits: LoadResult = {
    perSecond: answered / result.duration,
    answered,
    failed: result['4xx'] + result['5xx'] + result.errors,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
  process.send?.(hits, () => process.exit(0));
}

void main(JSON.parse(process.argv[2] ?? '{}') as LoadOptions);
