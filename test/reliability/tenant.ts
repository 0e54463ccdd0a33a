import { randomBytes } from 'node:crypto';
import type { VisitorIdentity } from '@ledgerline/contracts/events/organization.events';
import { BROWSER } from '../../scripts/supervisor/screen';
import { untilAnswer } from '../journeys/product';

/** An organization with a website, a short link and a key for everything, made by the ordinary commands. */
export interface Tenant {
  readonly organizationId: string;
  readonly websiteId: string;
  readonly linkId: string;
  readonly slug: string;
  readonly key: string;
  /** The cookie of the owner, who is signed in. */
  readonly cookie: string;
}

export type Row = Readonly<Record<string, unknown>>;

/** @param verify is given the address of the owner, where an account has to show that it is his */
export async function newTenant(apiUrl: string, verify?: (email: string) => Promise<void>): Promise<Tenant> {
  const cookie = await signUp(apiUrl, verify);
  const organizationId = await create(apiUrl, 'organizations', { cookie }, { name: 'Acme' });
  const websiteId = await createWebsite(apiUrl, { organizationId, cookie }, { timezone: 'UTC' });
  const scopes = ['read:data', 'write:data', 'track:events'];
  const made = await post(`${apiUrl}/v1/api-keys`, { cookie }, { organizationId, name: 'All', scopes });
  const key = made.secret as string;
  const slug = newSlug();
  const linkId = await createLink(apiUrl, { organizationId, key }, slug);
  return { organizationId, websiteId, linkId, slug, key, cookie };
}

export const newSlug = (): string => `s${randomBytes(5).toString('hex')}`;

export const createWebsite = (
  apiUrl: string,
  { organizationId, cookie }: Pick<Tenant, 'organizationId' | 'cookie'>,
  more: { readonly timezone: string; readonly visitorIdentity?: VisitorIdentity },
): Promise<string> =>
  create(apiUrl, 'websites', { cookie }, { organizationId, name: 'Shop', domain: 'example.com', ...more });

export const createLink = (
  apiUrl: string,
  by: Pick<Tenant, 'organizationId' | 'key'>,
  slug: string,
): Promise<string> => {
  const link = { organizationId: by.organizationId, name: slug, slug, targetUrl: 'https://example.com/landing' };
  return create(apiUrl, 'links', { 'x-api-key': by.key }, link);
};

/**
 * Waits until a tracker knows everything that was decided before the call: it looks for an unknown website at the head of
 * the event store before it answers that there is none.
 */
export async function untilTrackerHasCaughtUp(trackerUrl: string): Promise<void> {
  const body = JSON.stringify([{ name: 'screen_view', path: '/' }]);
  const headers = { 'content-type': 'application/json', ...AS_BROWSER };
  await untilAnswer(
    () => fetch(`${trackerUrl}/batch?client_id=site_none`, { method: 'POST', headers, body }),
    ({ status }) => status === 400,
  );
}

/** All rows of one query type about the website or the link, page by page. */
export async function rowsOf(apiUrl: string, tenant: Tenant, name: string, about: 'website' | 'link'): Promise<Row[]> {
  const subject = about === 'website' ? `website_id=${tenant.websiteId}` : `link_id=${tenant.linkId}`;
  const startDate = dayAt(-1);
  const endDate = dayAt(1);
  const rows: Row[] = [];
  for (let page = 1; ; page++) {
    const body = { parameters: [name], startDate, endDate, limit: LIMIT, page };
    const answer = await post(`${apiUrl}/v1/query?${subject}`, { 'x-api-key': tenant.key }, body);
    const [{ data, error } = {}] = answer.data as { data?: Row[]; error?: string }[];
    if (!data) throw new Error(`${name}: ${error ?? 'no rows'}`);
    rows.push(...data);
    if (data.length < LIMIT) return rows;
  }
}

const LIMIT = 10_000;
export const dayAt = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** The headers of a browser: bots are not counted. */
export const AS_BROWSER = { 'user-agent': BROWSER };

async function signUp(apiUrl: string, verify?: (email: string) => Promise<void>): Promise<string> {
  const account = { email: `${randomBytes(6).toString('hex')}@example.com`, password: 'correct horse battery' };
  const cookie = await cookieFrom(`${apiUrl}/v1/auth/sign-up/email`, { ...account, name: 'Ada' });
  if (!verify) return cookie;
  await verify(account.email);
  return cookieFrom(`${apiUrl}/v1/auth/sign-in/email`, account);
}

async function cookieFrom(url: string, account: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(account) });
  if (answer.status !== 200) throw new Error(`${url} failed: ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
}

export const create = async (apiUrl: string, what: string, headers: Headers, body: object): Promise<string> =>
  (await post(`${apiUrl}/v1/${what}`, headers, body)).id as string;

type Headers = Readonly<Record<string, string>>;

export async function post(url: string, headers: Headers, body: object): Promise<Row> {
  const given = { 'content-type': 'application/json', ...headers };
  const answer = await fetch(url, { method: 'POST', headers: given, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text}`);
  return JSON.parse(text) as Row;
}
