import { CLOCK_TOLERANCE_MS, MAX_ITEMS } from '@ledgerline/contracts/intake-limits';
import { tryOrUndefined, withoutThrowing, warn } from './guarded';
import { bytesOf, itemToJson } from './json';
import { randomId } from './visitor';

/** Routes of the tracking host, and how many items a request may carry there. */
type Route = keyof typeof MAX_ITEMS;
export type BrowserItem = Readonly<Record<string, unknown>>;

/** The time in which items are gathered for one request. */
const GATHER_MS = 100;
const RETRY_MS = [1_000, 3_000, 9_000, 27_000];
const MAX_WAITING = 500;
/** The first request is repeated, with what was gathered since, where it is not answered by then. */
const FIRST_ANSWER_MS = 10_000;

/** The greatest size of a request that holds more than one item. */
const MAX_BYTES = 30_000;
/** Browsers refuse more than 64 KiB in all requests under way that outlive the page: by `keepalive` and by beacon. */
const MAX_LASTING_BYTES = 60_000;
/** Firefox knows `keepalive` as of version 133. */
const CAN_LAST = tryOrUndefined(() => 'keepalive' in Request.prototype);

interface Gathered {
  readonly route: Route;
  readonly json: string;
}

interface Request {
  readonly route: Route;
  readonly items: Gathered[];
  bytes: number;
  tries: number;
  /** Its bytes while it is under way and goes on when the page ends, else 0. */
  lasting: number;
}

export interface Outbox {
  /** Gives the item its id, so that a repeated request is counted once, and a time after those of earlier ones. */
  add(route: Route, item: BrowserItem): void;
  /** Sends everything at once, also what was sent and would end with the page: it may be gone after this. */
  flushAtEnd(): void;
}

/** Epoch ms of a clock that does not change while the page is open; some browsers stop it while the device sleeps. */
const now = (): number => Math.round(performance.timeOrigin + performance.now());

/**
 * Sends items to the tracking host: gathered, repeated where the host asks for it, and without cookies. A beacon has those
 * of the host, which may be the page's own: it is for what must outlive the page and cannot otherwise.
 */
export function openOutbox(host: string, websiteId: string, anonymousId: () => string | undefined): Outbox {
  let gathered: Gathered[] = [];
  let unanswered: Request[] = [];
  let lastingBytes = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The request of the first page view, for whose answer all others wait. */
  let first: Request | undefined;
  /** By how much this clock is ahead of the host's, in ms, as an answer named it. */
  let clockAhead: number | undefined;
  /** The newest time, by the host's clock. */
  let latest = 0;

  const add = (route: Route, item: BrowserItem) => {
    const ahead = clockAhead ?? 0;
    latest = Math.max(now() - ahead, latest + 1);
    if (gathered.length < MAX_WAITING)
      gathered.push({
        route,
        json: itemToJson({ eventId: randomId(), timestamp: latest + ahead, anonymousId: anonymousId(), ...item }),
      });
    else warn(`more than ${MAX_WAITING} events at once`);
    if (!timer) flushIn(GATHER_MS);
  };

  const flushIn = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(withoutThrowing(flush), ms);
  };

  const flush = () => {
    if (first) sendAll();
    else {
      [first] = requestsOf(gathered.filter(({ route }) => route === '/batch'));
      gathered = gathered.filter((each) => !first?.items.includes(each));
      flushIn(FIRST_ANSWER_MS);
      if (first) void send(first);
    }
  };

  const sendAll = () => takeRequests().forEach((request) => void send(request));

  /** The short ones first, as there may be room for them only. */
  const flushAtEnd = () => {
    const requests = [...takeRequests(), ...unanswered.filter(({ lasting }) => !lasting)];
    requests.sort((one, other) => one.bytes - other.bytes);
    for (const request of requests) {
      if (roomFor(request)) void send(request);
      if (request.lasting) continue;
      if (tryOrUndefined(() => navigator.sendBeacon(urlOf(request), bodyOf(request)))) drop(request);
      else if (!unanswered.includes(request)) void send(request);
    }
  };

  /** Its bytes where it may outlive the page, else 0. */
  const roomFor = ({ bytes }: Request): number => (CAN_LAST && lastingBytes + bytes <= MAX_LASTING_BYTES ? bytes : 0);

  /**
   * Returns what was gathered; behind the first page view, while it is not answered, so that the clocks' difference is
   * one.
   */
  const takeRequests = (): Request[] => {
    clearTimeout(timer);
    timer = undefined;
    if (first && clockAhead === undefined && unanswered.includes(first)) {
      drop(first);
      gathered.unshift(...first.items);
    }
    const requests = requestsOf(gathered);
    gathered = [];
    return requests;
  };

  /** As text, which needs no preflight. */
  const send = async (request: Request): Promise<void> => {
    const { route } = request;
    const lasting = roomFor(request);
    if (!unanswered.includes(request)) unanswered.push(request);
    request.lasting = lasting;
    lastingBytes += lasting;
    let status = 0;
    let isOurs = false;
    try {
      const options = { method: 'POST', body: bodyOf(request), keepalive: lasting > 0, credentials: 'omit' } as const;
      const answer = await fetch(urlOf(request), options);
      ({ status } = answer);
      isOurs = await readAnswer(route, answer);
    } catch {
      // no answer is as one that is worth repeating
    }
    lastingBytes -= lasting;
    request.lasting = 0;
    if (!unanswered.includes(request)) return;
    const wait = RETRY_MS[request.tries++];
    if (wait && isWorthRepeating(status)) setTimeout(() => unanswered.includes(request) && void send(request), wait);
    else {
      drop(request);
      if (status < 200 || status > 299) warn(`${route} is not counted: status ${status}`);
      else if (!isOurs) warn(`nothing is counted: ${host} does not answer as a tracking host`);
    }
  };

  /** Returns whether it is a tracking host that answers; a bot gets nothing. @throws SyntaxError for what is no JSON */
  const readAnswer = async (route: Route, answer: Response): Promise<boolean> => {
    if (answer.status === 204) return true;
    const { status, clockAhead: named, errors, results = [] } = (await answer.json()) as Answer;
    setClock(named);
    const refused = (errors ?? results).find((item) => item.status !== 'success');
    if (refused) warn(`not counted of ${route}: ${refused.field ?? ''} ${refused.message}`);
    return status === 'success' || status === 'partial';
  };

  /** Later answers name another difference where the device slept. A refusal names none. */
  const setClock = (named: number | undefined) => {
    if (named === undefined) return;
    if (clockAhead === undefined) {
      clockAhead = named;
      latest -= named;
      flushIn(1);
    } else if (Math.abs(named - clockAhead) > CLOCK_TOLERANCE_MS) clockAhead = named;
  };

  const drop = (request: Request) => {
    unanswered = unanswered.filter((each) => each !== request);
  };

  /** Made for each try, as the host compares `sent_at` with its own clock. */
  const urlOf = ({ route }: Request): string =>
    `${host}${route}?client_id=${encodeURIComponent(websiteId)}&sent_at=${now()}&clock_ahead=${clockAhead ?? ''}`;

  return { add, flushAtEnd };
}

/** The answer of the tracking host to a request. */
interface Answer {
  readonly status?: unknown;
  readonly clockAhead?: number;
  /** The answers to items that were refused, and to all items. */
  readonly errors?: readonly ItemAnswer[];
  readonly results?: readonly ItemAnswer[];
}

type ItemAnswer = Readonly<Partial<Record<'status' | 'field' | 'message', string>>>;

const isWorthRepeating = (status: number): boolean => status >= 500 || [0, 408, 425, 429].includes(status);

const bodyOf = ({ route, items }: Request): string => {
  const json = items.map((item) => item.json).join();
  return route === '/identify' ? json : `[${json}]`;
};

/** Divides items into requests of at most as many items as their route takes, and so many bytes. */
function requestsOf(gathered: readonly Gathered[]): Request[] {
  const requests: Request[] = [];
  for (const item of gathered) {
    const { route, json } = item;
    const bytes = bytesOf(json) + 1;
    let request = requests.find(
      (each) => each.route === route && each.items.length < MAX_ITEMS[route] && each.bytes + bytes <= MAX_BYTES,
    );
    if (!request) requests.push((request = { route, items: [], bytes: 2, tries: 0, lasting: 0 }));
    request.items.push(item);
    request.bytes += bytes;
  }
  return requests;
}
