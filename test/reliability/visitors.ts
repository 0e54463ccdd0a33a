import { setTimeout as sleep } from 'node:timers/promises';
import { derivedEventId } from '@ledgerline/contracts/events/event-id';
import type { Options } from '../../tools/simulate/options';
import { requestsOf, type Request } from '../../tools/simulate/requests';
import { trafficOf } from '../../tools/simulate/traffic';
import { Random } from '../../tools/traffic/random';
import { send, untilTaken, type Reply } from './send';
import type { Followed } from './stream';

const CLIENTS = 8;
const PAUSE_MS = 30;
const DAYS = 5;

/** The place that is visited: a website with a short link and a key for its server. */
export interface Visited {
  readonly websiteId: string;
  readonly slug: string;
  readonly key: string;
}

/**
 * Simulated people, bots and servers, who send through any of the trackers. Who gets no answer, or one that says try
 * again, repeats the same request; some repeat one that was accepted. A click that nobody answered is not repeated.
 */
export class Visitors {
  /** By event id: what was acknowledged. */
  readonly acknowledged = new Map<string, string>();
  readonly followed: Followed[] = [];
  readonly unexpected: string[] = [];
  repeats = 0;
  private sent = 0;
  private readonly requests: readonly (Request & { readonly websiteId: string })[];
  private readonly random: Random;

  constructor(
    private readonly trackers: readonly string[],
    visited: readonly Visited[],
    { visitors, seed }: Pick<Options, 'visitors' | 'seed'>,
  ) {
    this.random = new Random(seed, 1);
    const end = Date.now();
    const each = visited.map(({ websiteId, slug, key }, at) => {
      const options = {
        visitors,
        seed: seed + at,
        days: DAYS,
        trackUrl: '',
        websiteId,
        apiKey: key,
        shortUrl: `/${slug}`,
      };
      const hours = [...trafficOf(options, end)];
      // without profiles: the answers that plain loops expect have none
      const requests = hours.flatMap((hour) => requestsOf(hour, options)).filter(({ route }) => route !== '/identify');
      return requests.map((request) => ({ ...request, websiteId }));
    });
    const longest = Math.max(...each.map(({ length }) => length));
    this.requests = Array.from({ length: longest }, (_, at) => each.flatMap((list) => list[at] ?? [])).flat();
  }

  /** From 0 to 1. */
  get progress(): number {
    return this.sent / this.requests.length;
  }

  /** Resolves when every client has its last answer. */
  async run(): Promise<void> {
    const queue = this.requests[Symbol.iterator]();
    const client = async () => {
      for (const request of queue) {
        if (request.route === 'short link') await this.follow(request.url, request.headers);
        else await this.deliver(request);
        this.sent++;
        await sleep(PAUSE_MS);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  }

  /** Follows a short link once. */
  async follow(path: string, headers: Readonly<Record<string, string>>): Promise<void> {
    const id = `c${this.followed.length}-${this.random.hex(8)}`;
    const tracker = this.someTracker();
    const asked = Date.now();
    const answer = await send(`${tracker}${path}?utm_content=${id}`, { redirect: 'manual', headers });
    const at = Date.now();
    if (answer?.status === 302) this.followed.push({ id, asked, at, tracker });
    else if (answer) this.unexpected.push(`${path}: ${answer.status} ${answer.text}`);
  }

  /** Until it is acknowledged; every tenth request is sent once more, as by a client that missed the answer. */
  private async deliver(request: (typeof this.requests)[number]): Promise<void> {
    const { method, url, headers, items, isBot, websiteId } = request;
    const copies = this.random.chance(0.1) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      const init = { method, headers, body: JSON.stringify(items) };
      const attempt = async () => this.isTaken(await send(`${this.someTracker()}${url}`, init), isBot, url);
      await untilTaken(attempt, () => this.repeats++);
    }
    for (const item of items as readonly Item[]) {
      const kind = kindOf(item, request.route);
      const revision = ['/vitals', '/engagement'].includes(request.route) ? 0 : null;
      this.acknowledged.set(derivedEventId(websiteId, kind, item.eventId, revision), `${kind} ${item.eventId}`);
    }
  }

  private isTaken(answer: Reply | undefined, isBot: boolean, url: string): boolean {
    if (answer === undefined) return false;
    const { status, text } = answer;
    const isSuccess = isBot ? status === 204 : status === 200 && text.startsWith('{"status":"success"');
    if (!isSuccess && status !== 503) this.unexpected.push(`${url}: ${status} ${text}`);
    return isSuccess || status !== 503;
  }

  private someTracker(): string {
    return this.trackers[this.random.below(this.trackers.length)]!;
  }
}

interface Item {
  readonly eventId: string;
  readonly name?: string;
  readonly type?: string;
}

const KINDS = { '/vitals': 'vital', '/errors': 'error', '/engagement': 'engagement' } as const;

/** Within which kind an event id is unique. */
const kindOf = ({ name, type }: Item, route: Request['route']): string =>
  route in KINDS ? KINDS[route as keyof typeof KINDS] : (name ?? type ?? '');
