import type { Pool } from 'pg';
import { POOL } from '../../apps/api/src/tokens';
import { ask } from '../api/ask';
import { colleague, newKey, ownerWithWebsite, signUp, signUpOperator, type Owner, type Person } from '../api/people';
import type { TestApi } from '../api/test-api';
import { mailTo } from '../mail/written-mails';
import { newGrant } from '../oauth/new-grant';
import type { DocumentedRequest } from './documented-requests';

/** The scene to which the examples of the documentation are sent. */
export interface Scene {
  readonly api: TestApi;
  readonly owner: Owner;
}

export const sceneOn = async (api: TestApi): Promise<Scene> => ({ api, owner: await ownerWithWebsite(api) });

type Maker = (scene: Scene) => Promise<string>;

/** Makes a thing for each kind of id, so that what one example deletes is there for the next one. */
const MAKERS: Readonly<Record<string, Maker>> = {
  org: ({ owner }) => Promise.resolve(owner.organizationId),
  site: (scene) => created(scene, '/v1/websites', { name: 'Blog', domain: 'blog.example' }),
  link: (scene) => created(scene, '/v1/links', { name: 'Link', targetUrl: 'https://example.com/' }),
  key: (scene) => created(scene, '/v1/api-keys', { name: 'Key', scopes: ['read:data'] }),
  flag: (scene) => created(scene, '/v1/flags', { key: `flag-${++flags}`, name: 'Flag' }),
  goal: async (scene) => created(scene, '/v1/goals', { ...(await newWebsite(scene)), name: 'Goal', condition: PAGES }),
  funnel: async (scene) =>
    created(scene, '/v1/funnels', {
      ...(await newWebsite(scene)),
      name: 'Funnel',
      steps: [{ condition: PAGES }, { condition: PAGES }],
    }),
  seg: async (scene) =>
    created(scene, '/v1/segments', { ...(await newWebsite(scene)), name: 'Segment', filters: [GERMAN] }),
  view: async (scene) => created(scene, '/v1/saved-views', { ...(await newWebsite(scene)), name: 'View' }),
  dst: (scene) =>
    created(scene, '/v1/destinations', {
      name: `Destination ${++destinations}`,
      kind: 'webhook',
      url: 'https://hooks.invalid/',
    }),
  alr: (scene) =>
    created(scene, '/v1/alerts', {
      websiteId: scene.owner.websiteId,
      name: `Alert ${++alerts}`,
      figure: 'pageviews',
      window: { minutes: 60 },
      compare: 'above',
      threshold: 100,
    }),
  rpt: async (scene) => {
    const url = 'https://hooks.invalid/';
    const destination = await created(scene, '/v1/destinations', {
      name: `Of report ${++destinations}`,
      kind: 'webhook',
      url,
    });
    return created(scene, '/v1/reports', { name: `Report ${++reports}`, destinationIds: [destination] });
  },
  tag: (scene) => created(scene, '/v1/tags', { name: `Tag ${++tags}` }),
  note: (scene) => created(scene, '/v1/annotations', { text: 'Note', at: '2026-01-01T00:00:00Z' }),
  mon: (scene) => created(scene, '/v1/monitors', { name: 'Shop', url: 'https://example.com/' }),
  status: (scene) => created(scene, '/v1/status-pages', { slug: `page-${++pages}`, name: 'Shop' }),
  share: async ({ owner, ...scene }) =>
    created({ owner, ...scene }, '/v1/shares', { websiteId: owner.websiteId, name: 'The board' }),
  usr: async ({ api, owner }) => (await colleague(api, owner, 'member')).id,
  inv: (scene) => invited(scene, 'somebody@example.com'),
  /** The id of incidents, which the preparations make with their page. */
  inc: () => Promise.resolve('inc_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E'),
  era: erased,
  grant: ({ api, owner }) => newGrant(api, owner),
};

const PAGES = { kind: 'page' };
const GERMAN = { field: 'country', op: 'eq', value: 'DE' };

/** Names of what is defined of it are free. */
const newWebsite = async (scene: Scene) => ({ websiteId: await MAKERS['site']!(scene) });

/** A request with the credential and the ids that it needs. */
interface SentRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
  readonly body: unknown;
}

type Preparation = (scene: Scene, request: SentRequest) => Promise<Partial<SentRequest>>;

/** The preparations that some operations need beyond things with the ids of their examples. */
const PREPARATIONS: Readonly<Record<string, Preparation>> = {
  'GET /v1/projections': async ({ api }) => ({ headers: (await signUpOperator(api)).headers }),
  'DELETE /v1/organizations/{id}': async (scene) => ({
    path: `/v1/organizations/${await created(scene, '/v1/organizations', { name: 'Short-lived' }, {})}`,
  }),
  'GET /v1/websites/{id}/icon': async ({ api }) => {
    const icon = `insert into favicons values ('blog.example', 'image/png', '\\x89504e470d0a1a0a', now())`;
    await api.app.get<Pool>(POOL).query(icon);
    return {};
  },
  'POST /v1/invitations/{invitationId}/accept': async (scene) => {
    const person = await signUp(scene.api);
    return { path: `/v1/invitations/${await invited(scene, person.email)}/accept`, headers: person.headers };
  },
  'POST /public/v1/flags/ofrep/v1/evaluate/flags/{key}': async (scene) => {
    await created(scene, '/v1/flags', { key: 'new-checkout', name: 'New checkout' });
    return {};
  },
  'PATCH /v1/status-pages/{id}/incidents/{incidentId}': incidentOfPage,
  'DELETE /v1/status-pages/{id}/incidents/{incidentId}': incidentOfPage,
  'GET /public/v1/status-pages/{slug}': publicPage,
  'GET /status/{slug}': publicPage,
  'GET /status/{slug}/feed.atom': publicPage,
  'GET /status/{slug}/badge.svg': publicPage,
  'GET /share/{token}': sharedWebsite,
  'GET /share/{token}/dashboard': sharedWebsite,
  'POST /share/{token}/query': sharedWebsite,
  'POST /share/{token}/password': async (scene, { path }) => {
    const share = { websiteId: scene.owner.websiteId, name: 'The board', password: 'correct horse battery' };
    const { organizationId, headers } = scene.owner;
    const { body } = await ask(scene.api, 'POST /v1/shares', { body: { organizationId, ...share }, headers });
    return { path: path.replace(/\/share\/[^/]+/, new URL(body.url as string).pathname) };
  },
  'POST /v1/mcp': async ({ api, owner }) => {
    const key = await newKey(api, owner, { scopes: ['read:data'] });
    return { headers: { 'x-api-key': key, accept: 'application/json, text/event-stream' } };
  },
  'POST /v1/auth/sign-up/email': (_, { body }) => withEmail(body, 'nobody.yet@example.com'),
  'POST /v1/auth/sign-in/email': async ({ api }, { body }) => withEmail(body, (await signUp(api)).email),
  'POST /v1/auth/sign-out': ({ api }) => signUp(api),
  'POST /v1/auth/change-password': ({ api }) => signUp(api),
  'POST /v1/auth/update-user': ({ api }) => signUp(api),
  'POST /v1/auth/change-email': ({ api }) => signUp(api),
  'GET /v1/auth/verify-email': withNewAddress,
  'POST /v1/auth/verify-email': withNewAddress,
  'POST /v1/auth/delete-user': ({ api }) => signUp(api),
  'POST /v1/auth/reset-password': async ({ api }, { body }) => ({
    body: { ...(body as object), token: await resetToken(api, await signUp(api)) },
  }),
};

async function withNewAddress({ api }: Scene): Promise<Partial<SentRequest>> {
  const person = await signUp(api);
  const newEmail = `new.${person.email}`;
  const body = { newEmail, currentPassword: 'correct horse battery' };
  await ask(api, 'POST /v1/auth/change-email', { body, headers: person.headers });
  const token = await mailedToken(api, { email: newEmail });
  return { path: `/v1/auth/verify-email?token=${token}`, headers: person.headers };
}

async function incidentOfPage(scene: Scene): Promise<Partial<SentRequest>> {
  const path = `/v1/status-pages/${await created(scene, '/v1/status-pages', { slug: `page-${++pages}`, name: 'Shop' })}`;
  const incident = { title: 'Orders fail', severity: 'major', message: 'We are looking.' };
  return { path: `${path}/incidents/${await created(scene, `${path}/incidents`, incident, {})}` };
}

/** Makes the statistics of a website public. */
async function sharedWebsite(scene: Scene, { path }: SentRequest): Promise<Partial<SentRequest>> {
  const id = await created(scene, '/v1/websites', { name: 'Open', domain: 'open.example', isPublic: true });
  return { path: path.replace(/\/share\/[^/]+/, `/share/${id}`) };
}

async function publicPage(scene: Scene, { path }: SentRequest): Promise<Partial<SentRequest>> {
  const slug = `page-${++pages}`;
  await created(scene, '/v1/status-pages', { slug, name: 'Shop', isPublic: true });
  return { path: path.replace('example-shop', slug) };
}

const ID = /\b([a-z]+)_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E\b/g;

/** A slug is taken by the first example that has it. */
let slugs = 0;

/** So is that of a status page. */
let pages = 0;

/** So is the key of a flag. */
let flags = 0;

/** So is the name of a tag. */
let tags = 0;
let destinations = 0;
let alerts = 0;
let reports = 0;

/** The example of an operation with things that exist instead of its ids. */
export async function readyToSend(scene: Scene, { operation, path, body }: DocumentedRequest): Promise<SentRequest> {
  const text = JSON.stringify({ path, body });
  const made = new Map<string, string>();
  for (const [id, kind = ''] of text.matchAll(ID)) {
    const make = MAKERS[kind];
    if (!make)
      throw new Error(`${operation} has the example ${id}: add "${kind}" to MAKERS in test/openapi/example-scene.ts`);
    if (!made.has(id)) made.set(id, await make(scene));
  }
  const unique = text.replaceAll('"slug":"spring"', () => `"slug":"spring-${++slugs}"`);
  const paged = unique.replaceAll('"slug":"example-shop"', () => `"slug":"page-${++pages}"`);
  const named = paged.replaceAll(
    /"name":"(Newsletter|On-call|Weekly figures)"/g,
    (_, name) => `"name":"${name} ${++tags}"`,
  );
  const filled = JSON.parse(named.replaceAll(ID, (id) => made.get(id) ?? id)) as Pick<SentRequest, 'path' | 'body'>;
  const request = { headers: scene.owner.headers, path: filled.path, body: filled.body };
  return { ...request, ...(await PREPARATIONS[operation]?.(scene, request)) };
}

async function created({ api, owner }: Scene, path: string, details: object, more: object = owner): Promise<string> {
  const { organizationId } = more as Partial<Owner>;
  const body = organizationId === undefined ? details : { organizationId, ...details };
  const answer = await ask(api, `POST ${path}`, { body, headers: owner.headers });
  if (answer.status !== 201) throw new Error(`POST ${path} failed: ${answer.text}`);
  return answer.body.id as string;
}

const invited = (scene: Scene, email: string): Promise<string> =>
  created(scene, `/v1/organizations/${scene.owner.organizationId}/invitations`, { email, role: 'member' }, {});

async function erased({ api, owner }: Scene): Promise<string> {
  const { organizationId, headers } = owner;
  const { id: userId } = await colleague(api, owner, 'member');
  const answer = await ask(api, 'POST /v1/erasures', { body: { organizationId, subject: { userId } }, headers });
  if (answer.status !== 202) throw new Error(`POST /v1/erasures failed: ${answer.text}`);
  return answer.body.id as string;
}

async function resetToken(api: TestApi, { email }: Person): Promise<string> {
  await ask(api, 'POST /v1/auth/request-password-reset', { body: { email } });
  return mailedToken(api, { email });
}

const withEmail = (body: unknown, email: string) => Promise.resolve({ body: { ...(body as object), email } });

/** The api under test writes its mails to files. */
async function mailedToken(api: TestApi, { email }: Pick<Person, 'email'>): Promise<string> {
  const { text } = await mailTo(api, email);
  return /token=([\w.-]+)/.exec(text)?.[1] ?? '';
}
