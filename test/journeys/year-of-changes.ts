import { ask, type Answer } from '../api/ask';
import type { Owner } from '../api/people';
import type { TestApi } from '../api/test-api';
import { fakeOnly } from '../processes/fake-timers';

/** The number of events a month of changes makes. */
export const EVENTS_OF_A_MONTH = 8;

/** Makes the same changes of links, keys and websites in each of twelve months, by ordinary requests. */
export async function yearOfChanges(api: TestApi, owner: Owner, year: number): Promise<void> {
  jest.useFakeTimers({ ...fakeOnly('Date'), now: Date.UTC(year, 0, 1, 9) });
  for (let month = 0; month < 12; month += 1) {
    jest.setSystemTime(Date.UTC(year, month, 3, 9));
    await monthOfChanges(api, { ...owner, headers: await signedIn(api, owner) });
  }
  jest.useRealTimers();
}

async function monthOfChanges(api: TestApi, { organizationId, websiteId, headers }: Owner): Promise<void> {
  const send = async (route: Parameters<typeof ask>[1], body?: object): Promise<string> => {
    const answer = await ask(api, route, { headers, ...(body ? { body } : {}) });
    if (answer.status >= 300) throw new Error(`${route}: ${answer.text}`);
    return String(answer.body.id);
  };
  const link = await send('POST /v1/links', { organizationId, name: 'Sale', targetUrl: 'https://example.com/' });
  await send(`PATCH /v1/links/${link}`, { name: 'Summer sale' });
  const key = await send('POST /v1/api-keys', { organizationId, name: 'Server', scopes: ['read:data'] });
  await send(`POST /v1/api-keys/${key}/rotate`);
  await send(`POST /v1/api-keys/${key}/revoke`);
  for (const name of ['Store', 'Shop']) await send(`PATCH /v1/websites/${websiteId}`, { name });
  await send(`DELETE /v1/links/${link}`);
}

/** A session lasts a week. */
async function signedIn(api: TestApi, { email }: Owner): Promise<{ cookie: string }> {
  const body = { email, password: 'correct horse battery' };
  const { status, cookies, text }: Answer = await ask(api, 'POST /v1/auth/sign-in/email', { body });
  if (status !== 200) throw new Error(text);
  return { cookie: cookies.map((each) => each.split(';')[0]).join('; ') };
}
