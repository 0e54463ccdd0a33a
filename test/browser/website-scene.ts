import type { HTTPRequest } from 'puppeteer-core';
import { ask } from '../api/ask';
import { PARTITIONS } from '../query/projected-database';
import type { Row } from '../reliability/tenant';
import { startTracker, type RunningTracker } from '../tracker/running-tracker';
import { ConsoleScene } from './console-scene';

/** A browser that sends hits. */
export interface Visitor {
  readonly userAgent: string;
  readonly address: string;
}

/** More pages are opened than people open in a minute; each reads its session, which is limited by address. */
const WITHOUT_LIMITS = Object.fromEntries(
  ['QUERY', 'API', 'PUBLIC', 'FAILED_AUTH'].map((name) => [`LIMIT_${name}_PER_MINUTE`, '100000']),
);

/** The console with the pages of a website whose visitors send hits to a tracker, which are projected at once. */
export class WebsiteScene {
  /** The number of requests for figures; what happened is asked for by itself, without their filters. */
  queries = 0;

  private constructor(
    readonly console: ConsoleScene,
    private readonly tracker: RunningTracker,
  ) {
    console.page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/v1/query') void this.count(request);
    });
  }

  private async count(request: HTTPRequest): Promise<void> {
    const asked = await request.fetchPostData();
    if (!asked?.includes('"name":"annotations"')) this.queries++;
  }

  /** `website`: what is set of it before the tracker reads it, as the api calls it. */
  static async open(website: object = {}): Promise<WebsiteScene> {
    const console = await ConsoleScene.open(WITHOUT_LIMITS);
    await change(console, website);
    const { databaseUrl } = console.api.settings;
    const variables = { DATABASE_URL: databaseUrl, INTAKE_PARTITIONS: String(PARTITIONS) };
    return new WebsiteScene(console, await startTracker(variables));
  }

  /** Sets what the api is given of the website; the tracker reads it later. */
  change(website: object): Promise<void> {
    return change(this.console, website);
  }

  /** Sends hits to a route of the tracker, and waits until they are in the answers. */
  async send(route: string, visitor: Visitor, items: readonly object[]): Promise<void> {
    const answer = await this.tracker.app.inject({
      method: 'POST',
      url: `${route}?client_id=${this.console.owner.websiteId}`,
      remoteAddress: visitor.address,
      headers: { 'user-agent': visitor.userAgent, 'content-type': 'application/json' },
      payload: JSON.stringify(items),
    });
    if (answer.statusCode !== 200 || answer.body.includes('"error"'))
      throw new Error(`${route} answered ${answer.statusCode}: ${answer.body}`);
  }

  project(): Promise<void> {
    return this.console.projector.catchUp();
  }

  /** The rows of one query type, as the api answers them. */
  async rows(name: string, request: object): Promise<readonly Row[]> {
    const { websiteId, headers } = this.console.owner;
    const body = { parameters: [name], ...request };
    const answer = await ask(this.console.api, `POST /v1/query?website_id=${websiteId}`, { body, headers });
    const [entry] = answer.body.data as { data: Row[] }[];
    return entry!.data;
  }

  /** Opens a page of the website, below its dashboard. */
  async visit(path: string): Promise<void> {
    const { organizationId, websiteId } = this.console.owner;
    await this.console.visit(`/organizations/${organizationId}/websites/${websiteId}${path}`);
  }

  /** The texts of the cells of a table, row by row, once it has rows. */
  async table(section: string): Promise<string[][]> {
    const rows = `section[aria-label=${JSON.stringify(section)}] tbody tr`;
    await this.console.page.waitForSelector(rows);
    return (await this.console.page.evaluate(
      `[...document.querySelectorAll(${JSON.stringify(rows)})].map((row) => [...row.cells].map((cell) => cell.textContent))`,
    )) as string[][];
  }

  /** Waits until an expression holds in the page. */
  async until(expression: string): Promise<void> {
    await this.console.page.waitForFunction(expression);
  }

  /** Lets no query be answered until the function that it returns is called. */
  async hold(): Promise<() => Promise<void>> {
    const { page } = this.console;
    const held: HTTPRequest[] = [];
    const hold = (request: HTTPRequest) => {
      if (new URL(request.url()).pathname === '/v1/query') held.push(request);
      else void request.continue();
    };
    page.on('request', hold);
    await page.setRequestInterception(true);
    return async () => {
      page.off('request', hold);
      await Promise.all(held.map((request) => request.continue()));
      await page.setRequestInterception(false);
    };
  }

  async close(): Promise<void> {
    await this.tracker.stop();
    await this.console.close();
  }
}

async function change({ api, owner }: ConsoleScene, body: object): Promise<void> {
  if (Object.keys(body).length === 0) return;
  const answer = await ask(api, `PATCH /v1/websites/${owner.websiteId}`, { body, headers: owner.headers });
  if (answer.status !== 200) throw new Error(`Changing the website answered ${answer.status}: ${answer.text}`);
}
