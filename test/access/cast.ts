import type { Pool } from 'pg';
import type { Scope } from '@ledgerline/contracts/events/api-key.events';
import type { Role } from '@ledgerline/contracts/events/organization.events';
import { POOL } from '../../apps/api/src/tokens';
import { ask } from '../api/ask';
import { colleague, ownerWithWebsite, signUp, signUpOperator, type Owner, type Person } from '../api/people';
import type { TestApi } from '../api/test-api';
import { waitUntil } from '../wait-until';
import type { KeyReach, Standing } from './outcomes';

/** An organization with two websites and a link. */
export interface House extends Owner {
  readonly otherWebsiteId: string;
  readonly linkId: string;
}

/** Everything that a request may come with. */
export interface Caller {
  readonly name: string;
  readonly headers: Headers;
  readonly standing: Standing;
  readonly person?: Person;
  /** Where a person is a member, or what a key is of. */
  readonly house?: House;
}

type Headers = Readonly<Record<string, string>>;

export const EVERY_SCOPE: readonly Scope[] = ['read:data', 'write:data', 'track:events', 'manage:flags', 'read:audit'];

export async function newHouse(api: TestApi): Promise<House> {
  const owner = await ownerWithWebsite(api);
  const { organizationId, headers } = owner;
  const website = { organizationId, name: 'Blog', domain: 'blog.example' };
  const link = { organizationId, name: 'A link', targetUrl: 'https://example.com/' };
  return {
    ...owner,
    otherWebsiteId: await created(api, 'POST /v1/websites', website, headers),
    linkId: await created(api, 'POST /v1/links', link, headers),
  };
}

/** Everybody who may try, made through HTTP like those of real life. */
export async function castOf(api: TestApi, ours: House): Promise<readonly Caller[]> {
  const theirs = await newHouse(api);
  return [
    ...(await nobodies(api, ours)),
    ...(await people(api, ours, theirs)),
    ...(await keys(api, ours, theirs)),
    ...(await wrongKeys(api, ours)),
  ];
}

/**
 * Returns callers who are nobody, as they come without a valid session: browsers go on to send the cookies of old ones.
 */
async function nobodies(api: TestApi, ours: House): Promise<Caller[]> {
  const gone = await signUp(api);
  const late = await colleague(api, ours, 'owner');
  const origin = 'http://localhost:3000';
  await succeeds(api, 'POST /v1/auth/sign-out', { headers: { ...gone.headers, origin }, body: {} });
  const database = api.app.get<Pool>(POOL);
  await database.query(`update auth.session set "expiresAt" = now() - interval '1 hour' where "userId" = $1`, [
    late.id,
  ]);
  const sent: Readonly<Record<string, Headers>> = {
    'no credential': {},
    'an expired session': late.headers,
    'a session that was signed out': gone.headers,
    'a forged session': { cookie: ours.headers.cookie.replace(/\.[^.;]*$/, '.forged') },
    'a cookie that is no session': { cookie: 'ledgerline.session_token=x' },
  };
  return Object.entries(sent).map(([name, headers]) => ({ name, headers, standing: { as: 'nobody' } }));
}

async function people(api: TestApi, ours: House, theirs: House): Promise<Caller[]> {
  const removed = await colleague(api, ours, 'admin');
  const { organizationId } = ours;
  await succeeds(api, `DELETE /v1/organizations/${organizationId}/members/${removed.id}`, ours);
  const outsider = (name: string, person: Person, role?: 'invited' | 'operator'): Caller => {
    return { name, headers: person.headers, standing: { as: 'person', role }, person };
  };
  const insider = (name: string, person: Person, role: Role): Caller => {
    return { name, headers: person.headers, standing: { as: 'person', role }, person, house: ours };
  };
  return [
    insider('an owner', ours, 'owner'),
    insider('an admin', await colleague(api, ours, 'admin'), 'admin'),
    insider('a member', await colleague(api, ours, 'member'), 'member'),
    outsider('a removed admin', removed),
    outsider('a person without organization', await signUp(api)),
    outsider('an invited person', await signUp(api), 'invited'),
    outsider('an operator', await signUpOperator(api), 'operator'),
    { ...outsider('the owner of another organization', theirs), house: theirs },
  ];
}

async function keys(api: TestApi, ours: House, theirs: House): Promise<Caller[]> {
  const key = async (name: string, house: House, scopes: readonly Scope[], on: KeyReach): Promise<Caller> => {
    const { secret } = await newKey(api, house, { scopes, ...resourcesOf(house, on) });
    const standing = { as: 'key', ours: house === ours, scopes, on } as const;
    return { name, headers: { 'x-api-key': secret }, standing, house };
  };
  const others = (scope: Scope) => EVERY_SCOPE.filter((each) => each !== scope);
  return Promise.all([
    ...EVERY_SCOPE.map((scope) => key(`a key without ${scope}`, ours, others(scope), 'everything')),
    key('a key of everything', ours, EVERY_SCOPE, 'everything'),
    key('a key of the website', ours, EVERY_SCOPE, 'the website'),
    key('a key of another website', ours, EVERY_SCOPE, 'another website'),
    key('a key of another organization', theirs, EVERY_SCOPE, 'everything'),
  ]);
}

const resourcesOf = ({ websiteId, otherWebsiteId }: House, on: KeyReach): object =>
  on === 'everything' ? {} : { resources: { [`website:${on === 'the website' ? websiteId : otherWebsiteId}`]: [] } };

/** Keys that are no longer, and texts that never were. */
async function wrongKeys(api: TestApi, ours: House): Promise<Caller[]> {
  const dead = await deadKeys(api, ours);
  const { secret } = await newKey(api, ours, { scopes: EVERY_SCOPE });
  const sent: Readonly<Record<string, Headers>> = {
    'an expired key': { 'x-api-key': dead.expired },
    'a disabled key': { 'x-api-key': dead.disabled },
    'a revoked key': { authorization: `Bearer ${dead.revoked}` },
    'a revoked key and a session': { 'x-api-key': dead.revoked, ...ours.headers },
    'a rotated-away key': { 'x-api-key': dead.rotated },
    'a deleted key': { 'x-api-key': dead.deleted },
    'an unknown key': { 'x-api-key': `svc_${'a'.repeat(48)}` },
    'an unknown bearer token': { authorization: `Bearer svc_${'a'.repeat(48)}` },
    'a key with one character more': { 'x-api-key': `${secret}a` },
    'a key with one character less': { 'x-api-key': secret.slice(0, -1) },
    'a key in the wrong case': { 'x-api-key': secret.toUpperCase() },
    'a token that is no key': { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' },
    'two keys that differ': { 'x-api-key': secret, authorization: `Bearer svc_${'b'.repeat(48)}` },
    'an empty key': { 'x-api-key': '' },
    'a scheme we do not have': { authorization: `Basic ${Buffer.from(`user:${secret}`).toString('base64')}` },
    'a good key under no scheme': { authorization: secret },
  };
  return Object.entries(sent).map(([name, headers]) => ({ name, headers, standing: { as: 'wrong credential' } }));
}

async function deadKeys(api: TestApi, ours: House) {
  const grants = { scopes: EVERY_SCOPE };
  const made = async (kill?: (path: string) => Promise<unknown>, more = {}) => {
    const { id, secret } = await newKey(api, ours, { ...grants, ...more });
    await kill?.(`/v1/api-keys/${id}`);
    return secret;
  };
  const { headers } = ours;
  const expiresAt = new Date(Date.now() + 1_000).toISOString();
  const dead = {
    expired: await made(undefined, { expiresAt }),
    disabled: await made((path) => succeeds(api, `PATCH ${path}`, { headers, body: { enabled: false } })),
    revoked: await made((path) => succeeds(api, `POST ${path}/revoke`, { headers })),
    rotated: await made((path) => succeeds(api, `POST ${path}/rotate`, { headers })),
    deleted: await made((path) => succeeds(api, `DELETE ${path}`, { headers })),
  };
  await waitUntil(() => Date.now() > Date.parse(expiresAt));
  return dead;
}

export async function newKey(
  api: TestApi,
  { organizationId, headers }: Owner,
  grants: object,
): Promise<{ id: string; secret: string }> {
  const body = { organizationId, name: 'A key', ...grants };
  const { id, secret } = (await succeeds(api, 'POST /v1/api-keys', { body, headers })).body;
  return { id: id as string, secret: secret as string };
}

/** The id of something new. */
export const created = async (api: TestApi, route: `POST ${string}`, body: object, headers: Headers): Promise<string> =>
  (await succeeds(api, route, { body, headers })).body.id as string;

async function succeeds(...[api, route, sent]: Parameters<typeof ask>) {
  const answer = await ask(api, route, sent);
  if (answer.status >= 300) throw new Error(`${route} failed: ${answer.text}`);
  return answer;
}
