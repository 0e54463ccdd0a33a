import { flagOf, listOf } from './records';
import { flagBody, listWith, ofOrganization, onFlag } from './requests';
import type { Sample } from './scene';

const OFREP = '/public/v1/flags/ofrep/v1/evaluate/flags';

/** The result of the first flag of the scene. */
const OFF = { enabled: false, value: false, payload: null, reason: 'BOOLEAN_DEFAULT' };

/** The samples of flags, by line of the rules. */
export const FLAG_SAMPLES: Readonly<Record<string, Sample>> = {
  'GET /public/v1/flags/bulk': {
    path: ({ ours }) => `/public/v1/flags/bulk?clientId=${ours.websiteId}`,
    answer: () => ({
      flags: expect.objectContaining({ 'flag-1': OFF }) as object,
      count: expect.any(Number) as number,
    }),
  },
  'GET /public/v1/flags/evaluate': {
    path: ({ ours }) => `/public/v1/flags/evaluate?clientId=${ours.websiteId}&key=flag-1`,
    answer: () => OFF,
  },
  'POST /public/v1/flags/ofrep/v1/evaluate/flags': {
    path: ({ ours }) => `${OFREP}?clientId=${ours.websiteId}`,
    body: () => ({ context: { targetingKey: 'u1' } }),
    answer: () => ({ flags: expect.arrayContaining([expect.objectContaining({ key: 'flag-1' })]) as object }),
  },
  'POST /public/v1/flags/ofrep/v1/evaluate/flags/:key': {
    path: ({ ours }) => `${OFREP}/none?clientId=${ours.websiteId}`,
    body: () => ({ context: { targetingKey: 'u1' } }),
    answer: () => expect.objectContaining({ key: 'none', errorCode: 'FLAG_NOT_FOUND' }) as object,
  },
  'GET /v1/flags': {
    path: ofOrganization('/v1/flags'),
    // those of the website, which a key of another one does not reach
    answer: ({ ours, ids, caller: { standing } }) =>
      standing.as === 'key' && standing.on === 'another website'
        ? listOf([])
        : listWith(flagOf(ours, { id: ids.flagId })),
  },
  'GET /v1/flags/:id': {
    path: ({ ids }) => `/v1/flags/${ids.flagId}`,
    answer: ({ ours, ids }) => flagOf(ours, { id: ids.flagId }),
  },
  'PATCH /v1/flags/:id': {
    ...onFlag,
    body: () => ({ name: 'Renamed' }),
    answer: ({ ours, ids }) => flagOf(ours, { id: ids.flagId, name: 'Renamed' }),
  },
  'DELETE /v1/flags/:id': { ...onFlag, answer: () => ({}) },
  'POST /v1/flags': {
    path: () => '/v1/flags',
    body: ({ ours, ids: { organizationId } }) => ({ ...flagBody(ours), organizationId, websiteId: null }),
    answer: ({ ours }) => flagOf(ours, { websiteId: null }),
  },
};
