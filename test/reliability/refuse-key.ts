import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../wait-until';
import type { Installation, Running } from './installation';
import { KeyHammer, type Shot } from './key-hammer';
import { newTenant, type Tenant } from './tenant';

/** A change by an administrator, and what the key is answered from then on. */
type Change = readonly [name: string, request: string, body: object | undefined, refusal: number];

export const CHANGES: readonly Change[] = [
  ['revoked', 'POST /revoke', undefined, 401],
  ['rotated away', 'POST /rotate', undefined, 401],
  ['disabled', 'PATCH ', { enabled: false }, 401],
  ['narrowed', 'PATCH ', { scopes: ['manage:flags'] }, 403],
  ['deleted', 'DELETE ', undefined, 401],
];

/** Tests what two apis and two trackers do with a key that loses its rights. */
export function refuseKey(opened: () => Installation, changes = CHANGES): void {
  let place: Installation;
  let tenant: Tenant;
  let running: readonly Running[];
  let paused: readonly Running[];

  beforeAll(async () => {
    place = opened();
    tenant = await newTenant(place.url('api', 0));
    const apis = place.all('api');
    const trackers = place.all('tracker');
    running = [apis[0]!, trackers[0]!];
    paused = [apis[1]!, trackers[1]!];
  });

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
