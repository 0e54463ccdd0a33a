import { randomBytes } from 'node:crypto';
import type { Role } from '@ledgerline/contracts/events/organization.events';
import { Accounts } from '../../apps/api/src/identity/accounts/accounts';
import { waitUntil } from '../wait-until';
import { ask } from './ask';
import type { TestApi } from './test-api';

export const PASSWORD = 'correct horse battery';

/** Somebody who is signed in. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly headers: { readonly cookie: string };
}

export async function signUp(
  api: TestApi,
  email = `${randomBytes(6).toString('hex')}@example.com`,
  link: object = {},
): Promise<Person> {
  const account = { email, password: PASSWORD, name: 'Ada' };
  if (api.settings.mail.by === 'smtp') return signUpVerified(api, account);
  const body = { ...account, ...link };
  const { status, body: answer, cookies, text } = await ask(api, 'POST /v1/auth/sign-up/email', { body });
  if (status !== 200) throw new Error(`Signing up failed: ${status} ${text}`);
  const cookie = cookies.map((each) => each.split(';')[0]).join('; ');
  return { id: (answer.user as { id: string }).id, email, headers: { cookie } };
}

/** Without the mail that a new account gets from an api with a mail server. */
async function signUpVerified(api: TestApi, account: Readonly<Record<'email' | 'password' | 'name', string>>) {
  const { headers, response } = await api.app.get(Accounts).signUp(account, true);
  const cookie = headers.getSetCookie().map((each) => each.split(';')[0]);
  return { id: response.user.id, email: account.email, headers: { cookie: cookie.join('; ') } };
}

/** For `OPERATOR_EMAILS`. */
export const OPERATOR = 'operator@example.com';

/** With the link in the log of an api without a mail server. */
export async function signUpOperator(api: TestApi, email = OPERATOR): Promise<Person> {
  return signUp(api, email, {
    proof: new URLSearchParams((await operatorLink(api, email)).hash.slice(1)).get('proof'),
  });
}

export async function operatorLink(api: TestApi, email = OPERATOR): Promise<URL> {
  const entries = () => api.log.map((line) => JSON.parse(line) as { operator?: string; link?: string });
  const link = await waitUntil(() => entries().find(({ operator }) => operator === email)?.link);
  return new URL(link);
}

/** A person who owns an organization with one website. */
export interface Owner extends Person {
  readonly organizationId: string;
  readonly websiteId: string;
}

export async function ownerWithWebsite(api: TestApi): Promise<Owner> {
  const person = await signUp(api);
  const organization = await create(api, '/v1/organizations', person, { name: 'Acme' });
  const website = { organizationId: organization, name: 'Shop', domain: 'example.com' };
  return { ...person, organizationId: organization, websiteId: await create(api, '/v1/websites', person, website) };
}

/** Somebody who has accepted an invitation of the owner. */
export async function colleague(api: TestApi, owner: Owner, role: Role): Promise<Person> {
  const person = await signUp(api);
  await join(api, owner, person, role);
  return person;
}

/** Makes a person a member of the owner's organization. */
export async function join(api: TestApi, owner: Owner, person: Person, role: Role): Promise<void> {
  const invitationId = await invite(api, owner, person.email, role);
  const answer = await ask(api, `POST /v1/invitations/${invitationId}/accept`, person);
  if (answer.status !== 200) throw new Error(`Accepting an invitation failed: ${answer.text}`);
}

/** The id of an invitation. */
export const invite = (api: TestApi, owner: Owner, email: string, role: Role = 'member'): Promise<string> =>
  create(api, `/v1/organizations/${owner.organizationId}/invitations`, owner, { email, role });

/** The secret of a new key of the owner's organization. */
export async function newKey(api: TestApi, owner: Owner, grants: object): Promise<string> {
  const body = { organizationId: owner.organizationId, name: 'A key', ...grants };
  const answer = await ask(api, 'POST /v1/api-keys', { body, headers: owner.headers });
  if (answer.status !== 201) throw new Error(`Creating a key failed: ${answer.text}`);
  return answer.body.secret as string;
}

async function create(api: TestApi, path: string, { headers }: Person, body: object): Promise<string> {
  const answer = await ask(api, `POST ${path}`, { body, headers });
  if (answer.status !== 201) throw new Error(`POST ${path} failed: ${answer.text}`);
  return answer.body.id as string;
}
