import autocannon, { type Request } from 'autocannon';
import { person } from '../../traffic/people';
import { slugOf } from '../installation/many-links';
import { batchBodies, linkBodies } from './bodies';
import { pacedLoad, type PacedRequest } from './paced-load';
import type { LoadResult, LoadOptions } from './run-load';

const PEOPLE = 500;
/** For whom flags are evaluated. */
const USERS = 1_000_000;

const below = (end: number): number => Math.floor(Math.random() * end);

/** The process behind {@link runLoad}: runs one load and reports the result to its parent. */
async function main(options: LoadOptions): Promise<void> {
  const { rate } = options;
  const next = requestsOf(options);
  const result =
    rate === undefined ? await asManyAsPossible(options, next) : await pacedLoad({ ...options, rate }, next);
  process.send?.(result, () => process.exit(0));
}

/** Makes the requests of a load, one after the other. */
function requestsOf(options: LoadOptions): () => PacedRequest {
  const { url, slugs, flags, links } = options;
  const agents = Array.from({ length: PEOPLE }, (_, number) => person(1, number).browser.userAgent);
  const body = bodiesFor(options);
  const apiKey = (flags ?? links)?.apiKey;
  const credential: Record<string, string> = apiKey === undefined ? {} : { 'x-api-key': apiKey };
  const { pathname, search } = new URL(url);
  let turn = 0;
  return () => {
    const userAgent = agents[turn++ % PEOPLE] ?? '';
    const headers = { 'user-agent': userAgent, 'content-type': 'application/json', ...credential };
    if (body) return { path: pathname + search, method: 'POST', headers, body: body() };
    if (slugs !== undefined) return { path: `/${slugOf(below(slugs))}`, method: 'GET', headers };
    return { path: pathname + search + (flags ? `&userId=u${below(USERS)}` : ''), method: 'GET', headers };
  };
}

async function asManyAsPossible(
  { url, connections, seconds }: LoadOptions,
  next: () => PacedRequest,
): Promise<LoadResult> {
  const setupRequest = (request: Request): Request => ({ ...request, ...next() });
  const result = await autocannon({ url, connections, duration: seconds, requests: [{ setupRequest }] });
  const answered = result['2xx'] + result['3xx'];
  return {
    perSecond: answered / result.duration,
    answered,
    failed: result['4xx'] + result['5xx'] + result.errors,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}

function bodiesFor({ name, events, links, newVisitors = false }: LoadOptions): (() => string) | undefined {
  if (links) return linkBodies(name, links.organizationId);
  return events === undefined ? undefined : batchBodies(name, { events, newVisitors });
}

void main(JSON.parse(process.argv[2] ?? '{}') as LoadOptions);
