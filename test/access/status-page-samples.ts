import { created } from './cast';
import { incidentOf, statusPageOf } from './records';
import { INCIDENT, listWith, ofOrganization, onStatusPage, statusPageBody } from './requests';
import type { Sample } from './scene';

/** The slug of the standing page, which is the first that is created. */
const SLUG = 'page-1';

const report = expect.objectContaining({ name: 'A page', monitors: [] }) as object;

/** An incident of the standing page that is fresh each time. */
const onIncident: Pick<Sample, 'path'> = {
  path: ({ ids }) => `/v1/status-pages/${ids.statusPageId}/incidents/${ids.incidentId}`,
};

const freshIncident: NonNullable<Sample['fresh']> = async (api, { organizationId, headers }) => {
  const page = { organizationId, ...statusPageBody() };
  const statusPageId = await created(api, 'POST /v1/status-pages', page, headers);
  const incidentId = await created(api, `POST /v1/status-pages/${statusPageId}/incidents`, INCIDENT, headers);
  return { ids: { statusPageId, incidentId } };
};

/** The samples of status pages, by line of the rules. */
export const STATUS_PAGE_SAMPLES: Readonly<Record<string, Sample>> = {
  'GET /public/v1/status-pages': { path: () => '/public/v1/status-pages', answer: () => listWith(SLUG) },
  'GET /public/v1/status-pages/:slug': { path: () => `/public/v1/status-pages/${SLUG}`, answer: () => report },
  'GET /status/:slug': { path: () => `/status/${SLUG}`, answer: () => ({}) },
  'GET /status/:slug/feed.atom': { path: () => `/status/${SLUG}/feed.atom`, answer: () => ({}) },
  'GET /status/:slug/badge.svg': { path: () => `/status/${SLUG}/badge.svg`, answer: () => ({}) },
  'GET /v1/status-pages': {
    path: ofOrganization('/v1/status-pages'),
    answer: ({ ours, ids }) => listWith(statusPageOf(ours, { id: ids.statusPageId })),
  },
  'GET /v1/status-pages/:id': {
    path: ({ ids }) => `/v1/status-pages/${ids.statusPageId}`,
    answer: ({ ours, ids }) => statusPageOf(ours, { id: ids.statusPageId }),
  },
  'PATCH /v1/status-pages/:id': {
    ...onStatusPage,
    body: () => ({ name: 'Renamed' }),
    answer: ({ ours, ids }) => statusPageOf(ours, { id: ids.statusPageId, name: 'Renamed' }),
  },
  'DELETE /v1/status-pages/:id': { ...onStatusPage, answer: () => ({}) },
  'GET /v1/status-pages/:id/incidents': {
    path: ({ ids }) => `/v1/status-pages/${ids.statusPageId}/incidents`,
    answer: ({ ours, ids }) => listWith(incidentOf(ours, { id: ids.incidentId })),
  },
  'POST /v1/status-pages/:id/incidents': {
    path: ({ ids }) => `/v1/status-pages/${ids.statusPageId}/incidents`,
    body: () => INCIDENT,
    answer: ({ ours }) => incidentOf(ours),
  },
  'PATCH /v1/status-pages/:id/incidents/:incidentId': {
    ...onIncident,
    fresh: freshIncident,
    body: () => ({ title: 'Orders failed' }),
    answer: ({ ours, ids }) => incidentOf(ours, { id: ids.incidentId, title: 'Orders failed' }),
  },
  'DELETE /v1/status-pages/:id/incidents/:incidentId': { ...onIncident, fresh: freshIncident, answer: () => ({}) },
  'POST /v1/status-pages': {
    path: () => '/v1/status-pages',
    body: ({ ids: { organizationId } }) => ({ organizationId, ...statusPageBody() }),
    answer: ({ ours }) => statusPageOf(ours),
  },
};
