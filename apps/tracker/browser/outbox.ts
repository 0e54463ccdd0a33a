import { randomId } from './random-id';

/** Routes of the tracking host, and how many items a request may carry there. */
const MAX_ITEMS = { '/batch': 100, '/vitals': 20, '/errors': 50, '/engagement': 20, '/identify': 1 } as const;
type Route = keyof typeof MAX_ITEMS;
export type Item = Readonly<Record<string, unknown>>;

/** What is added within this time is sent in one request. */
const GATHER_MS = 100;
const RETRY_MS = [1_000, 3_000, 9_000, 27_000];
const MAX_WAITING = 500;

interface Request {
  readonly route: Route;
  readonly body: string;
  tries: number;
}

/** Epoch ms of a clock that does not change while the page is open; some browsers stop it while the device sleeps. */
const now = (): number => Math.round(performance.timeOrigin + performance.now());

/** Sends items to the tracking host: gathered, repeated where the host asks for it, and by beacon when the page ends. */
export class Outbox {
  private readonly gathered = new Map<Route, Item[]>();
  private readonly unanswered = new Set<Request>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly host: string,
    private readonly websiteId: string,
    private readonly anonymousId: () => string | undefined,
  ) {}

  /** Gives the item its id, so that a repeated request is counted once, and its time. */
  add(route: Route, item: Item): void {
    const items = this.gathered.get(route) ?? [];
    if (items.length < MAX_WAITING)
      items.push({ eventId: randomId(), timestamp: now(), anonymousId: this.anonymousId(), ...item });
    this.gathered.set(route, items);
    this.timer ??= setTimeout(() => this.takeRequests().forEach((request) => void this.send(request)), GATHER_MS);
  }

  /** Everything at once, also what was sent and not answered: the page may be gone after this. */
  flushByBeacon(): void {
    for (const request of this.takeRequests()) this.unanswered.add(request);
    for (const request of this.unanswered)
      if (navigator.sendBeacon(this.urlOf(request), request.body)) this.unanswered.delete(request);
  }

  private takeRequests(): Request[] {
    clearTimeout(this.timer);
    this.timer = undefined;
    const requests: Request[] = [];
    for (const [route, items] of this.gathered)
      for (let at = 0; at < items.length; at += MAX_ITEMS[route]) {
        const part = items.slice(at, at + MAX_ITEMS[route]);
        requests.push({ route, body: JSON.stringify(route === '/identify' ? part[0] : part), tries: 0 });
      }
    this.gathered.clear();
    return requests;
  }

  /** As text, which needs no preflight. */
  private async send(request: Request): Promise<void> {
    this.unanswered.add(request);
    const answer = await fetch(this.urlOf(request), { method: 'POST', body: request.body, keepalive: true }).catch(
      () => undefined,
    );
    if (!this.unanswered.has(request)) return;
    const wait = RETRY_MS[request.tries++];
    if (wait === undefined || (answer && !isWorthRepeating(answer.status))) this.unanswered.delete(request);
    else setTimeout(() => this.unanswered.has(request) && void this.send(request), wait);
  }

  /** Made for each try: the host compares `sent_at` with its own clock, so that a wrong clock of the device is harmless. */
  private urlOf({ route }: Request): string {
    return `${this.host}${route}?client_id=${encodeURIComponent(this.websiteId)}&sent_at=${now()}`;
  }
}

const isWorthRepeating = (status: number): boolean => status >= 500 || [408, 425, 429].includes(status);
