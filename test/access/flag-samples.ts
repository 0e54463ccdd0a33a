import { flagOf, listOf } from './records';
import { flagBody, listWith, ofOrganization, onFlag } from './requests';
import type { Sample } from './scene';

/** Of flags, by line of the rules. */
export const FLAG_SAMPLES: Readonly<Record<string, Sample>> = {
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
