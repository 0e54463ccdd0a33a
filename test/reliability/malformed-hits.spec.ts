import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import type { IntakeSender, SendResult } from '@ledgerline/platform/intake-log/intake-log';
import { INTAKE_LOG } from '../../apps/tracker/src/tokens';
import { BROWSER } from '../../scripts/supervisor/screen';
import { startTracker, type RunningTracker } from '../tracker/running-tracker';
import { checkAnswer, contentType, malformedBody, malformedValue } from './malformed-bodies';

/** `RELIABILITY_MALFORMED=10000 npx jest test/reliability/malformed-hits` for the long run. */
const BODIES = Number(process.env['RELIABILITY_MALFORMED'] ?? 800);
const SEED = Number(process.env['RELIABILITY_SEED'] ?? 20_261_122);
/** Requests at the same time, which share transactions of the log. */
const AT_ONCE = 50;
const FREE = '1000000000';

jest.setTimeout(600_000 + BODIES * 20);

interface Sent {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string | Buffer;
}

describe(`malformed hits on every route (seed ${SEED}, ${BODIES} requests)`, () => {
  let tracker: RunningTracker;
  let key: string;
  /** Items that responses said were accepted, and what the log answered of those it was given. */
  let accepted = 0;
  let partly = 0;
  /** Identifications that the log was given beside the hits that named a profile. */
  let named = 0;
  const outcomes = { stored: 0, duplicate: 0, accepted: 0 };
  const statuses = new Map<number, number>();
  const heap: number[] = [];

  beforeAll(async () => {
    tracker = await startTracker({
      LIMIT_EVENTS_PER_KEY_PER_MINUTE: FREE,
      LIMIT_REQUESTS_PER_WEBSITE_AND_IP_PER_MINUTE: FREE,
    });
    await tracker.registerWebsite('site_1');
    key = await tracker.createKey('key_1');
    countOutcomes(tracker.app.get<IntakeSender>(INTAKE_LOG));
    for (let done = 0; done < BODIES; done += AT_ONCE) {
      const requests = fc.sample(request(key), { seed: SEED + done, numRuns: Math.min(AT_ONCE, BODIES - done) });
      await Promise.all(requests.map(sendOne));
      if (done % (AT_ONCE * 20) === 0) heap.push(usedHeap());
    }
    heap.push(usedHeap());
  });
  afterAll(() => tracker.stop());

  async function sendOne({ method, url, headers, payload }: Sent): Promise<void> {
    const { statusCode: status, body: text } = await tracker.app.inject({ method, url, headers, payload });
    checkAnswer({ status, text }, `${url} ${payload.toString()}`);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status !== 200) return;
    accepted += acceptedOf(text);
    if (acceptedOf(text) > 0 && /"errors":/.test(text)) partly++;
  }

  /** TRICKY: no spy of jest, which would keep every hit. */
  function countOutcomes(log: IntakeSender): void {
    const send = log.send.bind(log);
    log.send = async (hits): Promise<SendResult> => {
      const result = await send(hits);
      for (const [place, outcome] of result.outcomes.entries()) {
        outcomes[outcome]++;
        if (place > 0 && hits[place]?.event.type === 'VisitorIdentified') named++;
      }
      return result;
    };
  }

  it('never fail the tracker, and reach beyond the first check', () => {
    expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([]);
    expect([...statuses.values()].reduce((sum, count) => sum + count)).toBe(BODIES);
    for (const status of [200, 400]) expect(statuses.get(status) ?? 0).toBeGreaterThan(BODIES / 20);
    const megabytes = heap.map((bytes) => Math.round(bytes / 2 ** 20)).join(', ');
    const counts = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
    console.log(
      `${BODIES} malformed requests: ${counts}; ${accepted} hits accepted; ${partly} requests accepted in part; heap in use ${megabytes} MiB`,
    );
  });

  it('leave exactly what was accepted in the log', async () => {
    expect(accepted).toBeGreaterThan(BODIES / 20);
    expect(partly).toBeGreaterThan(BODIES / 100);
    expect(outcomes.stored + outcomes.duplicate - named).toBe(accepted);
    expect(named).toBeGreaterThan(0);
    expect(await tracker.recorded()).toHaveLength(outcomes.stored);
  });
});

/** A pixel, or the count of a JSON response. */
function acceptedOf(text: string): number {
  if (!text.startsWith('{')) return 1;
  const { count, processed } = JSON.parse(text) as { count?: number; processed?: number };
  return count ?? processed ?? 1;
}

function usedHeap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const COMMON = { anonymousId: 'a', sessionId: 's', path: 'https://example.com/a?b=c' };
const ITEMS: Readonly<Record<string, object>> = {
  '/track': { ...COMMON, name: 'bought', namespace: 'n', properties: { a: [1, { b: 'c' }] }, profileId: 'p' },
  '//track': { ...COMMON, name: 'bought', source: 'node', timestamp: '2026-11-22T12:00:00Z' },
  '/batch': { ...COMMON, name: 'screen_view', referrer: 'https://x.org', title: 'A', viewport_size: '1x1' },
  '/': { ...COMMON, name: 'page_exit', time_on_page: 5, scroll_depth: 50, interaction_count: 1 },
  '/?type': { ...COMMON, type: 'outgoing_link', href: 'https://x.org', text: 'X' },
  '/vitals': { ...COMMON, metricName: 'LCP', metricValue: 5 },
  '/errors': { ...COMMON, message: 'm', filename: 'f', lineno: 1, colno: 1, stack: 's', errorType: 'E' },
  '/engagement': { ...COMMON, pageIndex: 1, exitType: 'e', timeOnPage: 5, activeTime: 3, clickCount: 1 },
  '/identify': { anonymousId: 'a', profileId: 'p', traits: { name: 'A', email: 'a@b.org', plan: null } },
  '/px.jpg': { ...COMMON, name: 'opened' },
};
const NAMES = [
  ...new Set(Object.values(ITEMS).flatMap((item) => Object.keys(item))),
  ...[
    'eventId',
    'timestamp',
    'websiteId',
    'anonymizeVisitorIds',
    'utm_source',
    'language',
    'timezone',
    'screen_resolution',
  ],
  ...['maxScrollDepth', 'rageClickTarget', 'formFieldCount', 'lastFormField', '__proto__', 'constructor', 'toString'],
];

/** Returns what a client meant to send, with some fields that are something else. */
const spoilt = (item: object): fc.Arbitrary<unknown> =>
  fc
    .array(fc.tuple(fc.constantFrom(...NAMES), malformedValue(NAMES)), { maxLength: 2 })
    .map((wrong) => JSON.parse(JSON.stringify({ ...item, ...Object.fromEntries(wrong) })) as unknown);

/** Some good, some bad, some anything. */
const itemsLike = (item: object): fc.Arbitrary<unknown> =>
  fc.oneof(
    spoilt(item),
    fc.array(fc.oneof(spoilt(item), spoilt(item), malformedValue(NAMES)), { minLength: 1, maxLength: 8 }),
  );

const request = (key: string): fc.Arbitrary<Sent> =>
  fc
    .tuple(fc.constantFrom(...Object.entries(ITEMS)), fc.constantFrom('key', 'browser', 'nobody'), contentType)
    .chain(([[path, item], as, type]): fc.Arbitrary<Sent> => {
      const headers = { 'user-agent': BROWSER, 'content-type': type, ...(as === 'key' ? { 'x-api-key': key } : {}) };
      const site = as === 'nobody' ? '' : 'client_id=site_1';
      if (path === '/px.jpg')
        return spoilt(item).map((fields) => ({
          method: 'GET',
          url: `${path}?${site}&${queryOf(fields)}`,
          headers,
          payload: '',
        }));
      const payload = fc.oneof(
        { weight: 3, arbitrary: itemsLike(item).map((each) => JSON.stringify(each)) },
        { weight: 2, arbitrary: malformedBody(NAMES) },
      );
      return payload.map((body) => ({
        method: 'POST',
        url: `${path.split('?')[0] ?? ''}?${site}`,
        headers,
        payload: body,
      }));
    });

const queryOf = (fields: unknown): string =>
  new URLSearchParams(
    Object.entries(fields as Record<string, unknown>).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ).toString();
