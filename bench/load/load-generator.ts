import autocannon, { type Request } from 'autocannon';
import { person } from '../../scripts/traffic/people';
import { slugOf } from '../installation/many-links';
import { batchBodies, linkBodies } from './bodies';
import type { LoadResult, LoadOptions } from './run-load';

const PEOPLE = 500;

/** The process behind {@link runLoad}: runs one load and reports the result to its parent. */
async function main(options: LoadOptions): Promise<void> {
  const { url, connections, seconds, rate, slugs } = options;
  const agents = Array.from({ length: PEOPLE }, (_, number) => person(1, number).browser.userAgent);
  const body = bodiesFor(options);
  const credential: Record<string, string> = options.links ? { 'x-api-key': options.links.apiKey } : {};
  let turn = 0;
  const setupRequest = (request: Request): Request => {
    const userAgent = agents[turn++ % PEOPLE] ?? '';
    const headers = { 'user-agent': userAgent, 'content-type': 'application/json', ...credential };
    if (slugs !== undefined) return { ...request, path: `/${slugOf(Math.floor(Math.random() * slugs))}`, headers };
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

function bodiesFor({ name, events, links }: LoadOptions): (() => string) | undefined {
  if (links) return linkBodies(name, links.organizationId);
  return events === undefined ? undefined : batchBodies(name, events);
}

void main(JSON.parse(process.argv[2] ?? '{}') as LoadOptions);
