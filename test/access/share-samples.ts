import { ok } from '../api/every-change';
import type { TestApi } from '../api/test-api';
import type { House } from './cast';
import { shareOf } from './records';
import { invalid, listWith, ofOrganization, query, websitesFor } from './requests';
import type { Fresh, Sample, Scene } from './scene';

const SHARE = { name: 'The board' };

/** A share of the website. */
export async function newShare(api: TestApi, { organizationId, websiteId, headers }: House) {
  const body = { organizationId, websiteId, ...SHARE };
  const { body: made } = await ok(api, 'POST /v1/shares', { body, headers });
  return { shareId: made.id as string, shareToken: new URL(made.url as string).pathname.slice('/share/'.length) };
}

/** Changes a share that is fresh each time. */
const onShare = {
  path: ({ ids }: Scene) => `/v1/shares/${ids.shareId}`,
  fresh: async (api: TestApi, ours: House): Promise<Fresh> => ({ ids: await newShare(api, ours) }),
};

const asked = query(() => '', 'top_pages', []);

/** The samples of shares, by line of the rules. */
export const SHARE_SAMPLES: Readonly<Record<string, Sample>> = {
  'GET /share/:token': { path: ({ ids }) => `/share/${ids.shareToken}`, answer: () => ({}) },
  'GET /share/:token/dashboard': {
    path: ({ ids }) => `/share/${ids.shareToken}/dashboard`,
    answer: () => expect.objectContaining({ needsPassword: false }) as object,
  },
  'POST /share/:token/password': {
    path: ({ ids }) => `/share/${ids.shareToken}/password`,
    body: () => ({ password: 'a guess' }),
    answer: () => invalid('password'),
  },
  'POST /share/:token/query': { ...asked, path: ({ ids }) => `/share/${ids.shareToken}/query` },
  'GET /v1/shares': {
    path: ofOrganization('/v1/shares'),
    answer: ({ ours, ids, caller }) =>
      websitesFor(caller).some(({ id }) => id === ours.websiteId)
        ? listWith(shareOf(ours, { id: ids.shareId }))
        : { success: true, data: [], total: 0 },
  },
  'GET /v1/shares/:id': {
    path: ({ ids }) => `/v1/shares/${ids.shareId}`,
    answer: ({ ours, ids }) => shareOf(ours, { id: ids.shareId }),
  },
  'PATCH /v1/shares/:id': {
    ...onShare,
    body: () => ({ name: 'Renamed' }),
    answer: ({ ours, ids }) => shareOf(ours, { id: ids.shareId, name: 'Renamed' }),
  },
  'DELETE /v1/shares/:id': { ...onShare, answer: () => ({}) },
  'POST /v1/shares': {
    path: () => '/v1/shares',
    body: ({ ids: { organizationId, websiteId } }) => ({ organizationId, websiteId, ...SHARE }),
    answer: ({ ours }) => shareOf(ours),
  },
};
