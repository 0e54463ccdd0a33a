import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreDbDouble } from '../event-store/eventstoredb-double/eventstoredb-double';
import { Installation, type Running } from './installation';
import { KeyHammer, type Shot } from './key-hammer';
import { newTenant, type Tenant } from './tenant';
import { waitUntil } from '../wait-until';

const SERVER = process.env['EVENTSTORE_URL'];

jest.setTimeout(600_000);

/** A change by an administrator, and what the key is answered from then on. */
type Change = readonly [name: string, request: string, body: object | undefined, refusal: number];

const CHANGES: readonly Change[] = [
  ['revoked', 'POST /revoke', undefined, 401],
  ['rotated away', 'POST /rotate', undefined, 401],
  ['disabled', 'PATCH ', { enabled: false }, 401],
  ['narrowed', 'PATCH ', { scopes: ['manage:flags'] }, 403],
  ['deleted', 'DELETE ', undefined, 401],
];

/** `RELIABILITY_CHANGES=5 npx jest test/reliability/key-fence` for all of them on the double, too, as in `npm run prove`. */
const CHANGES_ON_DOUBLE = Number(process.env['RELIABILITY_CHANGES'] ?? 0);

describe('a key that loses its rights', () => isRefusedEverywhere(CHANGES, () => ({})));

if (CHANGES_ON_DOUBLE === 0)
  it.skip('a key that loses its rights on a double of EventStoreDB: SKIPPED; npm run prove sets RELIABILITY_CHANGES', () =>
    undefined);
else
  describe('a key that loses its rights (a double of EventStoreDB)', () => {
    let double: EventStoreDbDouble;
    beforeAll(async () => (double = await EventStoreDbDouble.start()));
    afterAll(() => double.stop());
    isRefusedEverywhere(CHANGES.slice(0, CHANGES_ON_DOUBLE), () => ({
      EVENT_STORE: 'eventstoredb',
      EVENTSTORE_URL: double.url,
    }));
  });

if (SERVER !== undefined)
  describe('a key that loses its rights (EventStoreDB)', () =>
    isRefusedEverywhere(CHANGES, () => ({ EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: SERVER })));
else
  it.skip('a key that loses its rights on a real EventStoreDB: SKIPPED, as EVENTSTORE_URL names no server', () =>
    undefined);

function isRefusedEverywhere(changes: readonly Change[], variables: () => NodeJS.ProcessEnv): void {
  let place: Installation;
  let tenant: Tenant;
  let running: readonly Running[];
  let paused: readonly Running[];

  beforeAll(async () => {
    const limits = { LIMIT_FAILED_AUTH_PER_MINUTE: '1000000' };
    place = await Installation.open({ api: 2, tracker: 2, projector: 0 }, { ...limits, ...variables() });
    tenant = await newTenant(place.url('api', 0));
    const [apis, trackers] = [place.all('api'), place.all('tracker')];
    running = [apis[0]!, trackers[0]!];
    paused = [apis[1]!, trackers[1]!];
  });
  afterAll(() => place.close());

  it.each(changes)('is refused by every process once it is %s, those that were paused included', async (...change) => {
    const [, , , refusal] = change;
    const key = await createKey();
    const hammer = new KeyHammer(key.secret, tenant.websiteId);
    expect(await hammer.ask([...running, ...paused])).toEqual([200, 200, 200, 200]);
    hammer.keepSending(running);
    for (const process of paused) await pause(process);
    for (const process of paused) hammer.sendOne(process);

    const status = await send(change, key.id);
    const answeredAt = performance.now();

    for (const process of paused) hammer.sendOne(process);
    await sleep(300);
    for (const process of paused) resume(process);
    await hammer.ask(paused);
    await hammer.end();
    expect(status).toBe(change[1].startsWith('DELETE') ? 204 : 200);
    expect(acceptedAfter(answeredAt, hammer.shots)).toEqual([]);
    expect(await hammer.ask([...running, ...paused])).toEqual([refusal, refusal, refusal, refusal]);
    expect(place.failures()).toEqual([]);
  });

  /** Sent after the answer, or sent to a paused process, which answers after that. */
  const acceptedAfter = (answeredAt: number, shots: readonly Shot[]): readonly Shot[] => {
    const late = shots.slice(4).filter(({ to, sentAt }) => sentAt > answeredAt || paused.some(({ url }) => url === to));
    expect(late.length).toBeGreaterThan(8);
    return late.filter(({ status }) => status === 200);
  };

  async function createKey(): Promise<{ readonly id: string; readonly secret: string }> {
    const { organizationId } = tenant;
    const body = { organizationId, name: 'Fenced', scopes: ['read:data', 'track:events'] };
    const answer = await manage('POST', '', body);
    return (await answer.json()) as { id: string; secret: string };
  }

  async function send([, request, body]: Change, id: string): Promise<number> {
    const [method = '', path = ''] = request.split(' ');
    return (await manage(method, `/${id}${path}`, body)).status;
  }

  function manage(method: string, path: string, body?: object): Promise<Response> {
    const headers = { cookie: tenant.cookie, ...(body ? { 'content-type': 'application/json' } : {}) };
    const init = body ? { method, headers, body: JSON.stringify(body) } : { method, headers };
    return fetch(`${place.url('api', 0)}/v1/api-keys${path}`, init);
  }
}

async function pause({ service }: Running): Promise<void> {
  process.kill(service.pid!, 'SIGSTOP');
  await waitUntil(() => /^State:\s+T/m.test(readFileSync(`/proc/${service.pid!}/status`, 'utf8')));
}

const resume = ({ service }: Running) => process.kill(service.pid!, 'SIGCONT');
