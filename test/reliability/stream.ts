import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../tools/traffic/random';
import { waitUntil } from '../wait-until';
import { send, untilTaken, type Reply } from './send';
import { AS_BROWSER, type Tenant } from './tenant';

const CLIENTS = 6;
const PAUSE_MS = 12;
const PAGES = 40;
const PEOPLE = 30;
/** The begin of the names of events without an event id. */
export const ONCE = 'once ';

/** A redirect that was answered: it was sent after it was `asked` for, and before we had it (`at`). */
export interface Followed {
  readonly id: string;
  readonly asked: number;
  readonly at: number;
  readonly tracker: string;
}

/** Somebody's view or event, by the names of the wire. */
interface Item {
  readonly eventId: string;
  readonly name: string;
  readonly path?: string;
}

/**
 * Clients that send page views, custom events and clicks one after another until they are told to stop. A client that
 * gets no answer, or an answer that says try again, repeats the same request; some repeat one that was accepted.
 */
export class Stream {
  /** By event id: what was acknowledged. */
  readonly views = new Map<string, Item>();
  readonly events = new Map<string, Item>();
  /** Names of events that were acknowledged without an event id, each sent once only. */
  readonly once = new Set<string>();
  readonly followed: Followed[] = [];
  /** The number of requests that were sent again, and statuses no client should see. */
  repeats = 0;
  readonly unexpected: string[] = [];
  private stopping = false;
  private readonly clients: Promise<void>[];

  constructor(
    private trackers: readonly string[],
    private readonly tenant: Tenant,
    seed: number,
    /** Tells the ids of several streams apart. */
    private readonly name = '',
    /** The pause, ms, of each client between two requests. */
    private readonly pauseMs = PAUSE_MS,
  ) {
    this.clients = Array.from({ length: CLIENTS }, (_, at) => this.client(at, new Random(seed, at)));
    for (const client of this.clients) client.catch(() => undefined); // `stop` tells
  }

  get acknowledged(): number {
    return this.views.size + this.events.size + this.once.size + this.followed.length;
  }

  /** Sends to others from now on; what has no answer yet, too. */
  sendTo(trackers: readonly string[]): void {
    this.trackers = trackers;
  }

  /** Resolves when so many more requests have been acknowledged. */
  async progress(requests = 100): Promise<void> {
    const wanted = this.acknowledged + requests;
    await waitUntil(() => this.acknowledged >= wanted);
  }

  /** Resolves when every client has the last answer it waits for. */
  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.clients);
  }

  private async client(number: number, random: Random): Promise<void> {
    for (let turn = 0; !this.stopping; turn++) {
      const id = `${this.name}-${number}-${turn}`;
      const tracker = this.trackers[random.below(this.trackers.length)]!;
      const kind = random.below(4);
      if (kind === 0) await this.sendViews(id, random);
      else if (kind === 1) await this.sendEvents(id, random);
      else if (kind === 2) await this.sendOnce(id, random);
      else await this.follow(id, tracker);
      await sleep(this.pauseMs);
    }
  }

  private async sendViews(id: string, random: Random): Promise<void> {
    const person = random.below(PEOPLE);
    const items = Array.from({ length: 1 + random.below(4) }, (_, at) => ({
      eventId: `v${id}-${at}`,
      name: 'screen_view',
      path: `/p${random.below(PAGES)}`,
      anonymousId: `a${person}`,
      sessionId: `s${person}`,
    }));
    const path = `/batch?client_id=${this.tenant.websiteId}`;
    await this.deliver(path, AS_BROWSER, items, random);
    for (const item of items) this.views.set(item.eventId, item);
  }

  private async sendEvents(id: string, random: Random): Promise<void> {
    const { websiteId, key } = this.tenant;
    const items = Array.from({ length: 1 + random.below(4) }, (_, at) => ({
      eventId: `e${id}-${at}`,
      name: `event ${random.below(PAGES)}`,
      websiteId,
      anonymousId: `a${random.below(PEOPLE)}`,
    }));
    await this.deliver('/track', { authorization: `Bearer ${key}` }, items, random);
    for (const item of items) this.events.set(item.eventId, item);
  }

  /** Nothing but the log itself prevents that such an event is stored twice. */
  private async sendOnce(id: string, random: Random) {
    const { websiteId, key } = this.tenant;
    const item = { name: `${ONCE}${id}`, websiteId, anonymousId: `a${random.below(PEOPLE)}` };
    if (await this.isTaken('/track', { authorization: `Bearer ${key}` }, [item], random)) this.once.add(item.name);
  }

  /** Until it is acknowledged; every tenth request is sent once more, as by a client that missed the answer. */
  private async deliver(path: string, headers: Readonly<Record<string, string>>, items: object[], random: Random) {
    const copies = random.chance(0.1) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      await untilTaken(
        () => this.isTaken(path, headers, items, random),
        () => this.repeats++,
      );
    }
  }

  private async isTaken(path: string, headers: Readonly<Record<string, string>>, items: object[], random: Random) {
    const tracker = this.trackers[random.below(this.trackers.length)]!;
    const given = { 'content-type': 'application/json', ...headers };
    const answer = await send(`${tracker}${path}`, { method: 'POST', headers: given, body: JSON.stringify(items) });
    if (answer === undefined) return false;
    const isSuccess = answer.status === 200 && answer.text.startsWith('{"status":"success"');
    if (!isSuccess && answer.status !== 503) this.unexpected.push(`${path}: ${answer.status} ${answer.text}`);
    return isSuccess;
  }

  private async follow(id: string, tracker: string): Promise<void> {
    const url = `${tracker}/${this.tenant.slug}?utm_content=c${id}`;
    const asked = Date.now();
    const answer = await send(url, { redirect: 'manual', headers: AS_BROWSER });
    const at = Date.now();
    if (answer?.status === 302) this.followed.push({ id: `c${id}`, asked, at, tracker });
    else if (answer && !isStopping(answer)) this.unexpected.push(`redirect: ${answer.status} ${answer.text}`);
  }
}

/** A tracker that is being replaced still answers on open connections. */
const isStopping = ({ status, text }: Reply): boolean => status === 503 && text.includes('The service is stopping');
