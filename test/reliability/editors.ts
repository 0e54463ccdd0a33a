import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../tools/traffic/random';
import { send, untilTaken } from './send';
import { newSlug, type Tenant } from './tenant';

const CLIENTS = 3;
const PAUSE_MS = 40;

/** Told of each new link, by its path on a tracker. */
type OnLink = (path: string) => Promise<void>;

/**
 * People who make links and websites through any of the apis until they are told to stop. Who gets no answer, or one
 * that says try again, repeats the request under the same Idempotency-Key; some repeat one that was accepted.
 */
export class Editors {
  /** Ids of what was acknowledged. */
  readonly links: string[] = [];
  readonly websites: string[] = [];
  readonly unexpected: string[] = [];
  repeats = 0;
  private stopping = false;
  private readonly clients: Promise<void>[];

  constructor(
    private readonly apis: readonly string[],
    private readonly tenant: Tenant,
    seed: number,
    private readonly onLink: OnLink,
  ) {
    this.clients = Array.from({ length: CLIENTS }, (_, at) => this.client(at, new Random(seed, 2, at)));
    for (const client of this.clients) client.catch(() => undefined); // `stop` tells
  }

  /** Resolves when every client has the last answer it waits for. */
  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.clients);
  }

  private async client(number: number, random: Random): Promise<void> {
    for (let turn = 0; !this.stopping; turn++) {
      const name = `${number}-${turn}`;
      if (random.chance(0.2)) this.websites.push(await this.makeWebsite(name, random));
      else await this.makeLink(name, random);
      await sleep(PAUSE_MS);
    }
  }

  private makeWebsite(name: string, random: Random): Promise<string> {
    const { organizationId, cookie } = this.tenant;
    const website = { organizationId, name, domain: `s${name}.example`, timezone: 'UTC' };
    return this.make('websites', { cookie, 'idempotency-key': name }, website, random);
  }

  private async makeLink(name: string, random: Random): Promise<void> {
    const { organizationId, key } = this.tenant;
    const slug = newSlug();
    const link = { organizationId, name, slug, targetUrl: 'https://example.com/landing' };
    this.links.push(await this.make('links', { 'x-api-key': key, 'idempotency-key': name }, link, random));
    await this.onLink(`/${slug}`);
  }

  /** The id, which every repetition must answer too. */
  private async make(what: string, headers: Headers, body: object, random: Random): Promise<string> {
    const id = await this.until(what, headers, body, random);
    if (!random.chance(0.1)) return id;
    const again = await this.until(what, headers, body, random);
    if (again !== id) this.unexpected.push(`${what}: ${again} instead of ${id}`);
    return id;
  }

  private until(what: string, headers: Headers, body: object, random: Random): Promise<string> {
    const attempt = async () => {
      const api = this.apis[random.below(this.apis.length)]!;
      const given = { 'content-type': 'application/json', ...headers };
      const answer = await send(`${api}/v1/${what}`, { method: 'POST', headers: given, body: JSON.stringify(body) });
      if (answer?.status === 201) return (JSON.parse(answer.text) as { id: string }).id;
      if (answer && answer.status !== 503) this.unexpected.push(`${what}: ${answer.status} ${answer.text}`);
      return undefined;
    };
    return untilTaken(attempt, () => this.repeats++);
  }
}

type Headers = Readonly<Record<string, string>>;
