import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { buildSync } from 'esbuild';
import type { Pool } from 'pg';
import type { Browser, Page } from 'puppeteer-core';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { AnswerRow } from '@ledgerline/domain/query/rows';
import { openPool } from '@ledgerline/platform/database/pool';
import { CATALOGUE } from '../../apps/api/src/query/types/catalogue';
import { root } from '../journeys/product';
import { askType } from '../query/answer-type';
import { PARTITIONS, projectInto, type DirectProjector } from '../query/projected-database';
import { startTracker, type RunningTracker } from '../tracker/running-tracker';
import { openChromium } from './chromium';

/** Pages of a website, by path; scripts are loaded from the site itself, which hands all else to a tracker. */
type Pages = Readonly<Record<string, string>>;

/** The script has another address, too, below which the site hands everything to the tracker. */
export const PROXY = '/stats';

type OnItsWay = (body: string, headers: IncomingHttpHeaders) => Promise<void>;

const TYPES: Readonly<Record<string, string>> = { js: 'text/javascript', html: 'text/html; charset=utf-8' };

/** A website with the script in a real browser, and a tracker whose hits are projected when a spec asks for answers. */
export class TrackedSite {
  /** The paths that browsers asked for. */
  readonly requested: string[] = [];

  private constructor(
    readonly browser: Browser,
    private readonly server: Server,
    private readonly tracker: RunningTracker,
    private readonly projector: DirectProjector,
    private readonly pool: Pool,
    /** Resolves when a request with this body and these headers has come through. */
    private readonly onItsWay: OnItsWay,
  ) {}

  static async open(pages: Pages, onItsWay: OnItsWay = () => Promise.resolve()): Promise<TrackedSite> {
    const tracker = await startTracker({ INTAKE_PARTITIONS: String(PARTITIONS) });
    for (const id of ['site_1', 'site_2', 'site_3'])
      await tracker.registerWebsite(id, { domain: 'shop.example.com', timezone: 'UTC' });
    const { databaseUrl } = tracker.settings;
    const pool = openPool({ url: databaseUrl, name: 'spec', max: 4 });
    const server = createServer();
    const browser = await openChromium(['shop.example.com', '*.shop.example.com']);
    const site = new TrackedSite(browser, server, tracker, await projectInto(databaseUrl), pool, onItsWay);
    const script = bundle();
    const files: Pages = { ...pages, '/tracker.js': script, [`${PROXY}/app.js`]: script };
    server.on('request', (request: IncomingMessage, reply) => {
      const { pathname } = new URL(request.url ?? '/', 'http://shop.example.com');
      site.requested.push(pathname);
      const file = files[pathname];
      if (file !== undefined) reply.setHeader('content-type', TYPES[pathname.split('.')[1] ?? 'html'] ?? '').end(file);
      else
        void site.handOn(request).then(({ status, headers, body }) => {
          reply.writeHead(status, headers).end(body);
        });
    });
    server.listen(0, '127.0.0.1');
    return site;
  }

  address(path: string, subdomain = ''): string {
    return `http://${subdomain}shop.example.com:${(this.server.address() as AddressInfo).port}${path}`;
  }

  /** A short link to a page of the site, where its slug is a path, too. */
  createLink(slug: string, path: string): Promise<void> {
    return this.tracker.createLink(`link_${slug}`, { slug, targetUrl: this.address(path) });
  }

  async openPage(path: string): Promise<Page> {
    const page = await this.browser.newPage();
    await page.goto(this.address(path));
    return page;
  }

  /** Returns what the tracker recorded. */
  recorded(): Promise<ObservedEvent[]> {
    return this.tracker.recorded();
  }

  /** The rows of a query type about today. */
  async rows(name: string, websiteId = 'site_1'): Promise<readonly AnswerRow[]> {
    await this.projector.catchUp();
    const now = Date.now();
    const [yesterday, tomorrow] = [now - 86_400_000, now + 86_400_000].map((at) => new Date(at).toISOString());
    const type = CATALOGUE.find((each) => each.name === name)!;
    return askType(this.pool, type, {
      about: 'website',
      id: websiteId,
      ownZone: 'UTC',
      timezone: 'UTC',
      startDate: yesterday!.slice(0, 10),
      endDate: tomorrow!.slice(0, 10),
      granularity: 'daily',
      filters: [],
      now,
    });
  }

  /** As a proxy in front of the tracker. */
  private async handOn(request: IncomingMessage) {
    const { method = 'GET', url: asked = '/', headers } = request;
    const url = asked.startsWith(`${PROXY}/`) ? asked.slice(PROXY.length) : asked;
    const body = await text(request);
    await this.onItsWay(body, headers);
    const answer = await this.tracker.app.inject({
      method: method as 'GET' | 'POST',
      url,
      headers,
      payload: body,
      remoteAddress: '81.2.69.142',
    });
    return { status: answer.statusCode, headers: answer.headers, body: answer.body };
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.server.closeAllConnections();
    this.server.close();
    await this.projector.close();
    await this.pool.end();
    await this.tracker.stop();
  }
}

/** The script, as the build makes it. */
function bundle(): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(root, 'apps', 'tracker', 'browser', 'main.ts')],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2020',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
