import { setTimeout as sleep } from 'node:timers/promises';
import { untilAnswer } from '../journeys/product';
import type { Installation } from './installation';
import type { Followed } from './stream';
import { AS_BROWSER, newSlug, type Tenant } from './tenant';

/** The answer to a client, and after how many ms. */
interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
  readonly ms: number;
}

/** One that lasts, of the event store: what must go on goes on, and writes are refused until it is over. */
export class Outage {
  private readonly refused: string[] = [];
  private readonly slowest = new Map<string, number>();
  private rounds = 0;
  private lastedMs = 0;

  constructor(
    private readonly place: Installation,
    private readonly tenant: Tenant,
    /** Takes up every redirect, as its click must be counted. */
    private readonly followed: Followed[],
  ) {}

  /** Demands all along that reading, redirecting and tracking go on, that writes are refused, and that the api says so. */
  async lasts(ms: number): Promise<void> {
    const since = performance.now();
    const isOver = () => performance.now() - since > ms;
    const through = async (round: () => Promise<void>) => {
      do await round();
      while (!isOver());
    };
    const tells = async () => {
      await untilAnswer(
        () => this.readiness(),
        ({ status }) => status === 503,
      );
      await through(() => this.apiSaysSo());
    };
    await Promise.all([tells(), through(() => this.restGoesOn()), through(() => this.writesAreRefused())]);
    this.lastedMs = performance.now() - since;
  }

  /** Waits until every api is ready and takes a write. */
  async isOver(): Promise<void> {
    const since = performance.now();
    for (const api of this.apis()) {
      await untilAnswer(
        () => this.readiness(api),
        ({ status }) => status === 200,
      );
    }
    this.slowest.set('being ready again', performance.now() - since);
  }

  /** Sends again what was refused, as clients do; returns the ids of what was made. */
  async repeatRefused(): Promise<string[]> {
    const since = performance.now();
    const ids: string[] = [];
    for (const slug of this.refused) {
      const made = await untilAnswer(
        () => this.create('a write again', slug),
        ({ status }) => status === 201,
      );
      ids.push((JSON.parse(made.text) as { id: string }).id);
      if (ids.length === 1) this.slowest.set('the first write', performance.now() - since);
    }
    return ids;
  }

  figures(): string {
    const times = [...this.slowest].map(([what, ms]) => `${what} ${Math.round(ms)} ms`);
    const seconds = (this.lastedMs / 1000).toFixed(1);
    return `${seconds} s: ${this.refused.length} writes refused, ${this.rounds} rounds of questions and redirects; slowest: ${times.join(', ')}`;
  }

  private async apiSaysSo(): Promise<void> {
    const ready = await this.readiness();
    expect(ready).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) as string });
    expect(JSON.parse(ready.text)).toMatchObject({ eventStore: 'down', database: 'ok' });
    await sleep(100);
  }

  private async restGoesOn(): Promise<void> {
    this.rounds++;
    const api = this.someApi();
    expect(await this.time('alive', `${api}/health`, {})).toMatchObject({ status: 200 });
    const headers = { 'content-type': 'application/json', 'x-api-key': this.tenant.key };
    const body = JSON.stringify({ parameters: ['top_pages', 'summary_metrics'], preset: 'last_7d' });
    const question = `${api}/v1/query?website_id=${this.tenant.websiteId}`;
    expect(await this.time('a question', question, { method: 'POST', headers, body })).toMatchObject({ status: 200 });
    await this.follow();
    await sleep(50);
  }

  private async follow(): Promise<void> {
    const id = `o-${newSlug()}`;
    const tracker = this.someTracker();
    const url = `${tracker}/${this.tenant.slug}?utm_content=${id}`;
    const asked = Date.now();
    const answer = await this.time('a redirect', url, { redirect: 'manual', headers: AS_BROWSER });
    expect(answer).toMatchObject({ status: 302 });
    const followed = { id, asked, at: Date.now(), tracker };
    this.followed.push(followed);
  }

  private async writesAreRefused(): Promise<void> {
    const slug = newSlug();
    const answer = await this.create(this.refused.length === 0 ? 'the first refusal' : 'a later refusal', slug);
    expect(answer).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) as string });
    this.refused.push(slug);
    await sleep(100);
  }

  private create(what: string, slug: string): Promise<Answer> {
    const { organizationId, key } = this.tenant;
    const link = { organizationId, name: slug, slug, targetUrl: 'https://example.com/landing' };
    const headers = { 'content-type': 'application/json', 'x-api-key': key, 'idempotency-key': slug };
    return this.time(what, `${this.someApi()}/v1/links`, {
      method: 'POST',
      headers,
      body: JSON.stringify(link),
    });
  }

  private readiness(api = this.someApi()): Promise<Answer> {
    return this.time('readiness', `${api}/health/ready`, {});
  }

  private async time(what: string, url: string, init: RequestInit): Promise<Answer> {
    const since = performance.now();
    const answer = await fetch(url, init);
    const text = await answer.text();
    const ms = performance.now() - since;
    this.slowest.set(what, Math.max(ms, this.slowest.get(what) ?? 0));
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text, ms };
  }

  private turn = 0;
  private readonly someApi = () => this.apis()[this.turn++ % this.apis().length]!;
  private readonly someTracker = () => this.place.all('tracker')[this.turn % this.place.all('tracker').length]!.url;
  private readonly apis = () => this.place.all('api').map(({ url }) => url);
}
