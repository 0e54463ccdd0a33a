import { colleague } from '../api/people';
import type { TestApi } from '../api/test-api';
import { created, EVERY_SCOPE, newKey, type Caller, type House } from './cast';
import { BLOG } from './records';
import type { Fresh, Ids, Sample, Scene } from './scene';

/** A route whose answer is the same for all. */
export const fixed = (path: string, answer: object): Sample => ({ path: () => path, answer: () => answer });

export const ofOrganization =
  (path: string) =>
  ({ ids }: Scene) =>
    `${path}?organizationId=${ids.organizationId}`;

/** Creates something in the organization. */
export const creates = (path: string, details: object, answer: Sample['answer']): Sample => ({
  path: () => path,
  body: ({ ids: { organizationId } }) => ({ organizationId, ...details }),
  answer,
});

/** Changes a key that is fresh each time. */
export const onKey = (action: string, answer: Sample['answer']): Sample => ({
  path: ({ ids }) => `/v1/api-keys/${ids.keyId}${action}`,
  answer,
  fresh: async (api, ours) => ({ ids: { keyId: (await newKey(api, ours, { scopes: EVERY_SCOPE })).id } }),
});

export const query = (path: (ids: Ids) => string, parameter: string, rows: readonly object[]): Sample => ({
  path: ({ ids }) => `/v1/query?${path(ids)}`,
  body: () => ({ parameters: [parameter] }),
  answer: () => ({
    success: true,
    queryId: '',
    data: [{ parameter, success: true, data: rows }],
    meta: expect.objectContaining({ parameters: [parameter], total_parameters: 1, page: 1 }) as object,
  }),
});

export const overview = (
  about: 'website' | 'link',
  idOf: (ids: Ids) => string,
  parameter: string,
  rows: readonly object[],
): Sample => ({
  path: () => '/v1/query/overview',
  body: ({ ids }) => ({ about, ids: [idOf(ids)], parameters: [parameter] }),
  answer: ({ ids }) => ({
    success: true,
    results: [
      {
        id: idOf(ids),
        data: [{ parameter, success: true, data: rows }],
        meta: expect.objectContaining({ parameters: [parameter] }) as object,
      },
    ],
  }),
});

/** The sample of a page that no resolver knows. */
export const pagePreview: Sample = {
  path: (scene) => `${ofOrganization('/v1/links/preview')(scene)}&url=https://nothing.invalid/`,
  answer: () => ({ success: true, title: null, description: null }),
};

export const listWith = (...items: unknown[]) => ({
  success: true,
  data: expect.arrayContaining(items) as unknown,
  total: expect.any(Number) as number,
});

export const LINK = { name: 'A link', targetUrl: 'https://example.com/' };

/** Changes a link that is fresh each time. */
export const onLink = {
  path: ({ ids }: Scene) => `/v1/links/${ids.linkId}`,
  fresh: async (api: TestApi, { organizationId, headers }: House) => ({
    ids: { linkId: await created(api, 'POST /v1/links', { organizationId, ...LINK }, headers) },
  }),
};

let flags = 0;

/** A flag of the website, with a key of its own. */
export const flagBody = ({ organizationId, websiteId }: House) => ({
  organizationId,
  websiteId,
  key: `flag-${++flags}`,
  name: 'A flag',
});

/** Changes a flag that is fresh each time. */
export const onFlag = {
  path: ({ ids }: Scene) => `/v1/flags/${ids.flagId}`,
  fresh: async (api: TestApi, ours: House) => ({
    ids: { flagId: await created(api, 'POST /v1/flags', flagBody(ours), ours.headers) },
  }),
};

export const MONITOR = { name: 'A monitor', url: 'https://example.com/' };

/** Changes a monitor that is fresh each time. */
export const onMonitor = {
  path: ({ ids }: Scene) => `/v1/monitors/${ids.monitorId}`,
  fresh: async (api: TestApi, { organizationId, headers }: House) => ({
    ids: { monitorId: await created(api, 'POST /v1/monitors', { organizationId, ...MONITOR }, headers) },
  }),
};

let pages = 0;

/** A public page with a slug of its own. */
export const statusPageBody = () => ({ slug: `page-${++pages}`, name: 'A page', isPublic: true });

export const INCIDENT = { title: 'Orders fail', severity: 'major', message: 'We are looking.' };

/** Changes a status page that is fresh each time. */
export const onStatusPage = {
  path: ({ ids }: Scene) => `/v1/status-pages/${ids.statusPageId}`,
  fresh: async (api: TestApi, { organizationId, headers }: House) => ({
    ids: {
      statusPageId: await created(api, 'POST /v1/status-pages', { organizationId, ...statusPageBody() }, headers),
    },
  }),
};

/** Whom the invitation of the scene is for. */
export const NEWCOMER = 'newcomer@example.com';
export const SOMEBODY = expect.stringMatching(/@example\.com$/) as string;

/** Everybody's. */
export const PASSWORD = 'correct horse battery';

export const addressFor = ({ name }: Caller) => `${name.replaceAll(/\W/g, '').toLowerCase()}@invited.example`;

export const invite = (api: TestApi, { organizationId, headers }: House, email: string) =>
  created(api, `POST /v1/organizations/${organizationId}/invitations`, { email, role: 'member' }, headers);

export const erase = (api: TestApi, { organizationId, headers }: House, userId: string) =>
  created(api, 'POST /v1/erasures', { organizationId, subject: { userId } }, headers);

export const onMember = {
  path: ({ ids }: Scene) => `/v1/organizations/${ids.organizationId}/members/${ids.memberId}`,
  fresh: async (api: TestApi, ours: House) => ({ ids: { memberId: (await colleague(api, ours, 'member')).id } }),
};

/** For a key of one website, one of its own. */
export async function freshWebsite(api: TestApi, ours: House, { standing }: Caller): Promise<Fresh> {
  const { organizationId, headers } = ours;
  const websiteId = await created(api, 'POST /v1/websites', { organizationId, ...BLOG }, headers);
  if (standing.as !== 'key' || standing.on === 'everything') return { ids: { websiteId } };
  const { secret } = await newKey(api, ours, { scopes: EVERY_SCOPE, resources: { [`website:${websiteId}`]: [] } });
  return { ids: { websiteId }, headers: { 'x-api-key': secret } };
}

/** Returns what a caller may read of its organization's websites, as they were at the start. */
export function websitesFor({ standing, house }: Caller): readonly Readonly<Record<string, unknown>>[] {
  if (!house) return [];
  const shop = { id: house.websiteId };
  const blog = { id: house.otherWebsiteId, ...BLOG };
  if (standing.as !== 'key' || standing.on === 'everything') return [shop, blog];
  return standing.on === 'the website' ? [shop] : [blog];
}

/** Whoever gets it was let in. */
export const invalid = (...fields: string[]) => ({
  success: false,
  code: 'VALIDATION_ERROR',
  error: expect.any(String) as string,
  details: fields.map((field) => expect.objectContaining({ field }) as object),
});
