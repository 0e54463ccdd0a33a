import { v4 as uuid } from 'uuid';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { newUlid } from '@ledgerline/platform/ids/new-ulid';
import type { Installation } from './installation';

/** A cookie of a session. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
}

/** Signs a new person up, who may look at the websites of the bench. @throws Error if that is refused */
export async function signUpViewer(installation: Installation, apiUrl: string): Promise<readonly Cookie[]> {
  const email = `${newUlid().toLowerCase()}@example.com`;
  const response = await fetch(`${apiUrl}/v1/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email, password: newUlid(), name: 'Bench' }),
  });
  if (!response.ok) throw new Error(`The sign-up answered ${response.status}: ${await response.text()}`);
  const { user } = (await response.json()) as { user: { id: string } };
  const position = await addMember(installation, user.id);
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  const headers = { cookie: cookies.join('; '), 'x-min-position': `e:${position}` };
  const seen = await fetch(`${apiUrl}/v1/organizations`, { headers }); // answered once the api knows the new member
  if (!seen.ok) throw new Error(`The organizations answered ${seen.status}: ${await seen.text()}`);
  return cookies.map((cookie) => {
    const [name = '', ...value] = cookie.split('=');
    return { name, value: value.join('=') };
  });
}

/** Answers the position of the change in the event store. */
async function addMember({ databaseUrl, registered }: Installation, userId: string): Promise<string> {
  const { organizationId } = registered.subjects[0];
  const store = await openEventStore({ databaseUrl });
  try {
    const stream = RECORD_KINDS.organizations.stream({ id: organizationId });
    const { length } = await store.readStream(stream);
    const data = { organizationId, userId, role: 'member', invitationId: `inv_${userId}` };
    const event = { id: uuid(), type: 'MemberAdded', data, metadata: { actor: userId } };
    const result = await store.append(stream, length - 1, [event]);
    if (!result.ok) throw new Error(`${stream} was changed meanwhile.`);
    return result.cursor;
  } finally {
    await store.close();
  }
}
