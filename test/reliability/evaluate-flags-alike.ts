import { waitUntil } from '../wait-until';
import type { Installation } from './installation';
import { newTenant, type Tenant } from './tenant';

/** The product promises it: a change is seen by every process within this time, from its response on. */
const PROMISED_MS = 1_000;
const CHANGES = 12;

/** Tests what two apis do with flags that either changes. */
export function evaluateFlagsAlike(opened: () => Installation): void {
  let place: Installation;
  let tenant: Tenant;

  beforeAll(async () => {
    place = opened();
    tenant = await newTenant(place.url('api'));
  });

  it(`evaluate a flag alike within ${PROMISED_MS} ms of a change by either, its rules included`, async () => {
    const id = await create();
    for (let change = 0; change < CHANGES; change++) {
      const by = change % 2;
      const rules = [{ attribute: 'userId', operator: 'equals', values: [`u${change}`], enabled: true }];
      await send('PATCH', by, `/v1/flags/${id}`, { payload: { change }, rules });
      const expected = { enabled: true, payload: { change }, reason: 'USER_RULE_MATCH' };
      expect(await evaluated(by, change)).toMatchObject(expected);
      await onOther(by, change, ({ payload }) => (payload as { change?: number } | null)?.change === change);
      expect(await evaluated(1 - by, change - 1)).toMatchObject({ enabled: false });
    }
    await send('DELETE', 0, `/v1/flags/${id}`);
    await onOther(0, CHANGES - 1, ({ reason }) => reason === 'FLAG_NOT_FOUND');
  });

  const onOther = (by: number, change: number, satisfies: (result: Result) => boolean) =>
    waitUntil(() => evaluated(1 - by, change), satisfies, PROMISED_MS);

  async function evaluated(at: number, change: number): Promise<Result> {
    const query = `clientId=${tenant.websiteId}&key=beta&userId=u${change}`;
    return (await fetch(`${place.url('api', at)}/public/v1/flags/evaluate?${query}`)).json() as Promise<Result>;
  }

  async function create(): Promise<string> {
    const { organizationId, websiteId } = tenant;
    const body = { organizationId, websiteId, key: 'beta', name: 'Beta' };
    return ((await send('POST', 0, '/v1/flags', body)) as { id: string }).id;
  }

  async function send(method: string, at: number, path: string, body?: object): Promise<unknown> {
    const headers = { cookie: tenant.cookie, ...(body ? { 'content-type': 'application/json' } : {}) };
    const answer = await fetch(`${place.url('api', at)}${path}`, { method, headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}

interface Result {
  readonly enabled: boolean;
  readonly payload: unknown;
  readonly reason: string;
}
