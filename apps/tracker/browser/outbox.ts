import { MAX_ITEMS } from '@ledgerline/contracts/intake-limits';
import { attempt, guarded, warn } from './guarded';
import { bytesOf, itemToJson } from './json';
import { randomId } from './visitor';

/** Routes of the tracking host, and how many items a request may carry there. */
type Route = keyof typeof MAX_ITEMS;
export type Item = Readonly<Record<string, unknown>>;

/** What is added within this time is sent in one request. */
const GATHER_MS = 100;
const RETRY_MS = [1_000, 3_000, 9_000, 27_000];
const MAX_WAITING = 500;

/** Of a request that holds more than one item. */
const MAX_BYTES = 30_000;
/** Browsers refuse more than 64 KiB in all requests under way that outlive the page: by `keepalive` and by beacon. */
const MAX_LASTING_BYTES = 60_000;

interface Request {
  readonly route: Route;
  readonly body: string;
  readonly bytes: number;
  tries: number;
  /** Its bytes while it is under way and goes on when the page ends, else 0. */
  lasting: number;
}

interface Gathered {
  readonly route: Route;
  readonly json: string;
}

export interface Outbox {
  /** Gives the item its id, so that a repeated request is counted once, and its time. */
  add(route: Route, item: Item): void;
  /** Sends everything at once, also what was sent and not answered: the page may be gone after this. */
  flushByBeacon(): void;
}

/** Epoch ms of a clock that does not change while the page is open; some browsers stop it while the device sleeps. */
const now = (): number => Math.round(performance.timeOrigin + performance.now());

/** Sends items to the tracking host: gathered, repeated where the host asks for it, and by beacon when the page ends. */
export function openOutbox(host: string, websiteId: string, anonymousId: () => string | undefined): Outbox {
  let gathered: Gathered[] = [];
  let unanswered: Request[] = [];
  let lastingBytes = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const add = (route: Route, item: Item) => {
    if (gathered.length < MAX_WAITING)
      gathered.push({
        route,
        json: itemToJson({ eventId: randomId(), timestamp: now(), anonymousId: anonymousId(), ...item }),
      });
    else warn(`more than ${MAX_WAITING} events at once`);
    timer ??= setTimeout(
      guarded(() => takeRequests().forEach((request) => void send(request))),
      GATHER_MS,
    );
  };

  /** The short ones first, as there may be room for them only; last what is under way, as not every `fetch` outlives. */
  const flushByBeacon = () => {
    const requests = [...unanswered, ...takeRequests()];
    requests.sort((one, other) => one.lasting - other.lasting || one.bytes - other.bytes);
    for (const request of requests) {
      const isQueued = attempt(() => navigator.sendBeacon(urlOf(request), request.body));
      if (isQueued && !request.lasting) drop(request);
      else if (!unanswered.includes(request)) void send(request);
    }
  };

  const takeRequests = (): Request[] => {
    clearTimeout(timer);
    timer = undefined;
    const requests = requestsOf(gathered);
    gathered = [];
    return requests;
  };

  /** As text, which needs no preflight. */
  const send = async (request: Request): Promise<void> => {
    const { body, bytes, route } = request;
    if (!unanswered.includes(request)) unanswered.push(request);
    request.lasting = lastingBytes + bytes <= MAX_LASTING_BYTES ? bytes : 0;
    lastingBytes += request.lasting;
    let status = 0;
    try {
      ({ status } = await fetch(urlOf(request), { method: 'POST', body, keepalive: request.lasting > 0 }));
    } catch {
      // as an answer that is worth repeating
    }
    lastingBytes -= request.lasting;
    request.lasting = 0;
    if (!unanswered.includes(request)) return;
    const wait = RETRY_MS[request.tries++];
    if (wait && isWorthRepeating(status)) setTimeout(() => unanswered.includes(request) && void send(request), wait);
    else {
      drop(request);
      if (status < 200 || status > 299) warn(`${route} is not counted: status ${status}`);
    }
  };

  const drop = (request: Request) => {
    unanswered = unanswered.filter((each) => each !== request);
  };

  /** Made for each try: the host compares `sent_at` with its own clock, so that a wrong clock of the device is harmless. */
  const urlOf = ({ route }: Request): string =>
    `${host}${route}?client_id=${encodeURIComponent(websiteId)}&sent_at=${now()}`;

  return { add, flushByBeacon };
}

const isWorthRepeating = (status: number): boolean => status >= 500 || [0, 408, 425, 429].includes(status);

/** Of at most so many items as their route takes, and so many bytes. */
function requestsOf(gathered: readonly Gathered[]): Request[] {
  const parts: { route: Route; items: string[]; bytes: number }[] = [];
  for (const { route, json } of gathered) {
    const bytes = bytesOf(json) + 1;
    let part = parts.find(
      (each) => each.route === route && each.items.length < MAX_ITEMS[route] && each.bytes + bytes <= MAX_BYTES,
    );
    if (!part) parts.push((part = { route, items: [], bytes: 2 }));
    part.items.push(json);
    part.bytes += bytes;
  }
  return parts.map(({ route, items, bytes }) => {
    const body = route === '/identify' ? items.join() : `[${items.join()}]`;
    return { route, body, bytes, tries: 0, lasting: 0 };
  });
}
