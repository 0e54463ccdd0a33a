import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type { Browser, Page } from 'puppeteer-core';
import { rolloutBucket } from '@ledgerline/domain/flags/variant-ranges';
import { ask } from '../api/ask';
import { ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { waitUntil } from '../wait-until';
import { describeInChromium, openChromium } from './chromium';

/** The published client, unmodified, on a page of another origin than the api. */
describeInChromium('the browser client of @databuddy/sdk', () => {
  it('shows a visitor the flags, and the same ones after a reload', async () => {
    const first = await shown(({ isReady }) => isReady);
    expect(first['for-teams']).toMatchObject({ on: false, value: false, status: 'ready' });
    expect(first['colour']).toMatchObject({ on: true, value: 'blue' });
    const visitor = (await page.evaluate('localStorage.did')) as string;
    expect(visitor).toMatch(/^anon_/);
    const isIncluded = rolloutBucket('half', visitor) < 2 ** 31;
    expect(first['half']).toMatchObject({ on: isIncluded });
    await page.reload();
    expect(await shown(({ isReady }) => isReady)).toEqual(first);
  });

  it('gets no answer twice: the browser has it, and compares its ETag', async () => {
    answers.length = 0;
    await page.click('#refresh');
    expect(await waitUntil(() => answers.at(-1))).toEqual({ path: '/public/v1/flags/bulk', status: 304 });
  });

  it('shows a change once it asks again', async () => {
    const body = { variants: [{ key: 'b', value: 'green', weight: 1 }] };
    expect((await ask(api, `PATCH /v1/flags/${colour}`, { body, headers: owner.headers })).status).toBe(200);
    await page.click('#refresh');
    await shown((flags) => flags['colour']?.value === 'green');
  });

  it('shows the flags of a person who signs in', async () => {
    await page.click('#sign-in');
    await shown((flags) => flags['for-teams']?.on === true);
  });

  it('is refused nothing by the browser', () => expect(complaints).toEqual([]));

  /** Returns what the page shows as soon as it satisfies. */
  const shown = (satisfies: (flags: Shown) => boolean): Promise<Shown> => {
    const look = async () => JSON.parse(String(await page.evaluate('flags.textContent'))) as Shown;
    return waitUntil(look, satisfies);
  };

  let api: TestApi;
  let owner: Owner;
  let colour: string;
  let site: Server;
  let browser: Browser;
  let page: Page;
  const answers: { path: string; status: number }[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    api = await startTestApi();
    owner = await ownerWithWebsite(api);
    [, colour = ''] = await Promise.all(FLAGS.map(create));
    api.app.getHttpServer().on('request', ({ url = '' }: IncomingMessage, reply: ServerResponse) => {
      reply.once('finish', () => answers.push({ path: url.split('?')[0]!, status: reply.statusCode }));
    });
    const script = bundle();
    const config = { clientId: owner.websiteId, apiUrl: await api.app.getUrl() };
    const settings = JSON.stringify({ config, keys: FLAGS.map(({ key }) => key) });
    const html = `<!doctype html><title>Shop</title><link rel="icon" href="data:,"><div id="root"></div>
      <script>window.page = ${settings}</script><script src="/page.js"></script>`;
    site = createServer(({ url }, reply) => {
      reply.setHeader('content-type', url === '/page.js' ? 'text/javascript' : 'text/html; charset=utf-8');
      reply.end(url === '/page.js' ? script : html);
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    browser = await openChromium();
    page = await browser.newPage();
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    // an address on which the client may make ids of visitors, as on https
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
  });

  afterAll(async () => {
    await browser.close();
    site.close();
    await api.close();
  });

  async function create(flag: object): Promise<string> {
    const { organizationId, websiteId, headers } = owner;
    const body = { organizationId, websiteId, name: 'A flag', ...flag };
    const { status, body: created } = await ask(api, 'POST /v1/flags', { body, headers });
    expect(status).toBe(201);
    return created.id as string;
  }
});

interface FlagState {
  readonly on: boolean;
  readonly value: unknown;
}

type Shown = Readonly<Record<string, FlagState>> & { readonly isReady: boolean };

/** The page with all that it imports, as a bundler of any website makes it. */
function bundle(): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(__dirname, 'flags-page.mjs')],
    bundle: true,
    write: false,
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0]!.text;
}

const FLAGS = [
  {
    key: 'for-teams',
    rules: [{ attribute: 'properties.plan', operator: 'equals', values: ['team'], enabled: true }],
  },
  { key: 'colour', type: 'multivariant', variants: [{ key: 'b', value: 'blue', weight: 1 }] },
  { key: 'half', type: 'rollout', rollout: { percentage: 50, by: 'user' } },
] as const;
