import type { TestApi } from '../api/test-api';
import { type Caller, created, type House } from './cast';
import { destinationOf, reportOf } from './records';
import { fixed, listWith, ofOrganization } from './requests';
import type { Sample, Scene } from './scene';

let names = 0;

/** Returns a destination with a host that no resolver knows. */
export const destinationBody = () => ({
  name: `Destination ${++names}`,
  kind: 'webhook',
  url: 'https://hooks.invalid/hook',
  sends: ['tag.created'],
});

/** The id of a new report, to a destination of its own. */
export async function newReport(api: TestApi, { organizationId, headers }: House): Promise<string> {
  const destination = { organizationId, ...destinationBody() };
  const destinationIds = [await created(api, 'POST /v1/destinations', destination, headers)];
  return created(api, 'POST /v1/reports', { organizationId, name: `Report ${++names}`, destinationIds }, headers);
}

/** Changes a report that is fresh each time. */
const onReport = {
  path: ({ ids }: Scene) => `/v1/reports/${ids.reportId}`,
  fresh: async (api: TestApi, house: House) => ({ ids: { reportId: await newReport(api, house) } }),
};

/** Changes a destination that is fresh each time. */
const onDestination = (action = '') => ({
  path: ({ ids }: Scene) => `/v1/destinations/${ids.destinationId}${action}`,
  fresh: async (api: TestApi, { organizationId, headers }: House) => ({
    ids: {
      destinationId: await created(api, 'POST /v1/destinations', { organizationId, ...destinationBody() }, headers),
    },
  }),
});

const SECRET = { secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as unknown };

const ownedBy = ({ person }: Caller) => (person ? { ownerId: person.id } : {});

/** The samples of destinations and reports, by line of the rules. */
export const DESTINATION_SAMPLES: Readonly<Record<string, Sample>> = {
  'GET /v1/destinations': {
    path: ofOrganization('/v1/destinations'),
    answer: ({ ours, ids }) => listWith(destinationOf(ours, { id: ids.destinationId })),
  },
  'GET /v1/destinations/:id': {
    path: onDestination().path,
    answer: ({ ours, ids }) => destinationOf(ours, { id: ids.destinationId }),
  },
  'PATCH /v1/destinations/:id': {
    ...onDestination(),
    body: () => ({ enabled: false }),
    answer: ({ ours, ids }) => destinationOf(ours, { id: ids.destinationId, enabled: false }),
  },
  'DELETE /v1/destinations/:id': { ...onDestination(), answer: () => ({}) },
  'POST /v1/destinations/:id/rotate': {
    ...onDestination('/rotate'),
    answer: ({ ours, ids }) => destinationOf(ours, { id: ids.destinationId, ...SECRET }),
  },
  'POST /v1/destinations/:id/test': {
    ...onDestination('/test'),
    answer: () => ({ status: null, text: 'hooks.invalid has no address.' }),
  },
  'GET /v1/destinations/:id/deliveries': {
    path: onDestination('/deliveries').path,
    answer: () => ({ success: true, data: [], total: 0 }),
  },
  'POST /v1/destinations/:id/retry': {
    ...onDestination('/retry'),
    body: () => ({ all: true }),
    answer: () => ({ retried: 0 }),
  },
  'GET /v1/destinations/:id/confirm': fixed('/v1/destinations/dst_none/confirm?token=none', {}),
  'POST /v1/destinations/:id/confirm': { ...fixed('/v1/destinations/dst_none/confirm', {}), body: () => ({}) },
  'GET /v1/destinations/:id/unsubscribe': fixed('/v1/destinations/dst_none/unsubscribe?token=none', {}),
  'POST /v1/destinations/:id/unsubscribe': { ...fixed('/v1/destinations/dst_none/unsubscribe', {}), body: () => ({}) },
  'POST /v1/destinations': {
    path: () => '/v1/destinations',
    body: ({ ids: { organizationId } }) => ({ organizationId, ...destinationBody() }),
    answer: ({ ours }) => destinationOf(ours, SECRET),
  },
  'GET /v1/reports': {
    path: ofOrganization('/v1/reports'),
    answer: ({ ours, ids }) => listWith(reportOf(ours, { id: ids.reportId })),
  },
  'GET /v1/reports/:id': { path: onReport.path, answer: ({ ours, ids }) => reportOf(ours, { id: ids.reportId }) },
  'PATCH /v1/reports/:id': {
    ...onReport,
    body: () => ({ enabled: false }),
    answer: ({ ours, ids, caller }) => reportOf(ours, { id: ids.reportId, enabled: false, ...ownedBy(caller) }),
  },
  'DELETE /v1/reports/:id': { ...onReport, answer: () => ({}) },
  'GET /v1/reports/:id/preview': {
    path: (scene) => `${onReport.path(scene)}/preview`,
    answer: () => ({}),
  },
  'POST /v1/reports': {
    path: () => '/v1/reports',
    body: ({ ids: { organizationId, destinationId } }) => ({
      organizationId,
      name: `Report ${++names}`,
      destinationIds: [destinationId],
    }),
    answer: ({ ours, caller }) => reportOf(ours, ownedBy(caller)),
  },
};
