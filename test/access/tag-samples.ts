import type { TestApi } from '../api/test-api';
import { created, type House } from './cast';
import { linkOf, tagOf } from './records';
import { listWith, ofOrganization } from './requests';
import type { Sample, Scene } from './scene';

let names = 0;

export const tagBody = () => ({ name: `Tag ${++names}` });

/** Changes a tag that is fresh each time. */
const onTag = {
  path: ({ ids }: Scene) => `/v1/tags/${ids.tagId}`,
  fresh: async (api: TestApi, { organizationId, headers }: House) => ({
    ids: { tagId: await created(api, 'POST /v1/tags', { organizationId, ...tagBody() }, headers) },
  }),
};

/** The samples of tags, by line of the rules. */
export const TAG_SAMPLES: Readonly<Record<string, Sample>> = {
  'GET /v1/tags': {
    path: ofOrganization('/v1/tags'),
    answer: ({ ours, ids }) => listWith(tagOf(ours, { id: ids.tagId })),
  },
  'GET /v1/tags/:id': { path: onTag.path, answer: ({ ours, ids }) => tagOf(ours, { id: ids.tagId }) },
  'PATCH /v1/tags/:id': {
    ...onTag,
    body: () => ({ color: 'red' }),
    answer: ({ ours, ids }) => tagOf(ours, { id: ids.tagId, color: 'red' }),
  },
  'DELETE /v1/tags/:id': { ...onTag, answer: () => ({}) },
  'POST /v1/tags': {
    path: () => '/v1/tags',
    body: ({ ids: { organizationId } }) => ({ organizationId, ...tagBody() }),
    answer: ({ ours }) => tagOf(ours),
  },
  'POST /v1/links/bulk/tags': {
    path: () => '/v1/links/bulk/tags',
    body: ({ ids: { organizationId, linkId } }) => ({ organizationId, linkIds: [linkId] }),
    answer: ({ ours, ids }) => ({
      success: true,
      tagged: 1,
      failed: 0,
      results: [{ index: 0, success: true, link: linkOf(ours, { id: ids.linkId, createdBy: ours.id }) }],
    }),
  },
};
