import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { readOptions, type Options } from './options';
import { simulate } from './simulate';
import { summary } from './summary';

describe('npm run simulate', () => {
  it('sends visits, clicks and server events, and counts what is taken', async () => {
    const { options, seen } = await tracker();
    const said: string[] = [];
    const tally = await simulate(options, (line) => said.push(line), { end: END });
    const sent = seen.filter(({ url }) => url !== '/health');
    expect(new Set(sent.map(({ url }) => url.split('?')[0]))).toEqual(ROUTES);
    expect(tally.accepted).toBe(tally.sent);
    expect(tally.botsRecognised).toBe(tally.botsSent);
    expect(said).toEqual(expect.arrayContaining(['This tracker has no /vitals: its events were skipped.']));
    const withKey = sent.filter(({ headers }) => headers.authorization === 'Bearer svc_x');
    const isKeyless = ({ url, headers }: Seen) => url === '/go' || /bot|curl/i.test(headers['user-agent'] ?? '');
    expect(withKey).toEqual(sent.filter((each) => !isKeyless(each)));
    expect(summary(tally, 1)).toContain('events accepted');
  });

  it('says who some of its visitors are', async () => {
    const { options, seen } = await tracker();
    await simulate(options, () => undefined);
    const bodies = seen.filter(({ url }) => url.startsWith('/identify?client_id=site_1')).map(({ body }) => body);
    const profiles = bodies.map((body) => JSON.parse(body) as Profile);
    expect(profiles.length).toBeGreaterThan(5);
    const people = new Map(profiles.map(({ anonymousId, profileId }) => [anonymousId, profileId]));
    expect(people.size).toBeLessThan(profiles.length);
    expect(profiles.every(({ anonymousId, profileId }) => people.get(anonymousId) === profileId)).toBe(true);
    expect(Object.keys(profiles[0]?.traits ?? {})).toEqual(['name', 'email', 'plan']);
  });

  it('sends the same for the same seed', async () => {
    const first = await tracker();
    const second = await tracker();
    const end = Date.now();
    for (const { options } of [first, second]) await simulate(options, () => undefined, { end });
    expect(idsIn(second.seen)).toEqual(idsIn(first.seen));
  });

  it('waits where it is told to, says which limits to raise, and goes on', async () => {
    const { options } = await tracker({ refuseFirst: { status: 429, retryAfter: 0 } });
    const said: string[] = [];
    const tally = await simulate(options, (line) => said.push(line));
    expect(tally.accepted).toBe(tally.sent);
    expect(said.join()).toContain('LIMIT_REQUESTS_PER_WEBSITE_AND_IP_PER_MINUTE');
  });

  it('says by reason what was refused', async () => {
    const { options } = await tracker({ batch: { status: 'partial', results: [{ status: 'error', message: 'x' }] } });
    const tally = await simulate(options, () => undefined);
    expect([...tally.refusals.keys()]).toEqual(['x']);
  });

  it('takes everything from the first run', () => {
    const folder = temporaryFolder('simulate');
    const demo = {
      trackUrl: 'http://127.0.0.1:1/',
      websiteId: 'site_1',
      apiKey: 'svc_1',
      shortUrl: 'http://127.0.0.1:1/a',
    };
    writeFileSync(join(folder, 'first-run.json'), JSON.stringify(demo));
    expect(readOptions(['--visitors', '5', '--seed', '1'], { DATA_DIR: folder })).toEqual({
      ...demo,
      trackUrl: 'http://127.0.0.1:1',
      visitors: 5,
      days: 60,
      seed: 1,
    });
    const elsewhere = readOptions(['--track-url', 'http://127.0.0.1:2'], { DATA_DIR: folder });
    expect([elsewhere.apiKey, elsewhere.shortUrl]).toEqual([undefined, undefined]);
    expect(() => readOptions(['--days', '0'], { DATA_DIR: folder })).toThrow('--days is "0"');
    expect(() => readOptions([], { DATA_DIR: join(folder, 'absent') })).toThrow('Nothing to send to');
  });

  it('says so when nobody answers', async () => {
    const options = { ...ORDER, trackUrl: 'http://127.0.0.1:1', shortUrl: undefined };
    await expect(simulate(options, () => undefined)).rejects.toThrow('No tracker answers');
  });

  afterAll(() => servers.forEach((server) => server.close()));
});

interface Profile {
  readonly anonymousId: string;
  readonly profileId: string;
  readonly traits: object;
}

const END = Date.parse('2026-11-26T14:00:00Z');
const ORDER = { visitors: 150, days: 9, seed: 5, websiteId: 'site_1', apiKey: 'svc_x' };
const ROUTES = new Set(['/batch', '/vitals', '/errors', '/engagement', '/identify', '/track', '/go']);
const servers: Server[] = [];

interface Seen {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Behaviour {
  readonly refuseFirst?: { readonly status: number; readonly retryAfter: number };
  readonly batch?: object;
}

/** Answers as a tracker does that knows neither vitals nor errors nor engagement. */
async function tracker({ refuseFirst, batch }: Behaviour = {}): Promise<{ options: Options; seen: Seen[] }> {
  const seen: Seen[] = [];
  let refused = refuseFirst === undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const hit = { url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() };
      if (!refused && hit.url !== '/health') {
        refused = true;
        response.writeHead(refuseFirst?.status ?? 500, { 'retry-after': String(refuseFirst?.retryAfter) }).end();
        return;
      }
      seen.push(hit);
      answer(hit, response, batch);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const trackUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { options: { ...ORDER, trackUrl, shortUrl: `${trackUrl}/go` }, seen };
}

function answer({ url, headers, body }: Seen, response: ServerResponse, batch: object | undefined): void {
  const json = (status: number, value: object) => response.writeHead(status).end(JSON.stringify(value));
  const isBot = /bot|curl/i.test(headers['user-agent'] ?? '');
  if (url === '/health') json(200, { status: 'ok' });
  else if (url === '/go') response.writeHead(302, { location: 'https://example.com' }).end();
  else if (/^\/(vitals|errors|engagement)/.test(url)) json(404, { error: 'unknown route' });
  else if (isBot) response.writeHead(204).end();
  else if (url.startsWith('/identify')) json(200, { status: 'success', type: 'identify' });
  else if (url === '/track') json(200, { status: 'success', count: (JSON.parse(body) as object[]).length });
  else
    json(
      200,
      batch ?? { status: 'success', results: (JSON.parse(body) as object[]).map(() => ({ status: 'success' })) },
    );
}

const idsIn = (seen: readonly Seen[]): string[] =>
  [...new Set(seen.flatMap(({ body }) => [...body.matchAll(/"eventId":"([^"]+)"/g)].map(([, id]) => id ?? '')))].sort();
