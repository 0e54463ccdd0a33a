import type { TestApi } from '../api/test-api';
import { created, type House } from './cast';
import { definitionOf, listOf } from './records';
import { listWith, ofOrganization } from './requests';
import type { Sample, Scene } from './scene';

let names = 0;

const RULE = { figure: 'pageviews', window: { minutes: 60 }, compare: 'above', threshold: 100 };

/** An alert of the website, with a name of its own. */
export const alertBody = ({ organizationId, websiteId }: Pick<House, 'organizationId' | 'websiteId'>) => ({
  organizationId,
  websiteId,
  name: `Alert ${++names}`,
  ...RULE,
});

const answer = ({ ours, ids }: Scene, more: object = {}) =>
  definitionOf('alr', ours, {
    ...RULE,
    linkId: null,
    goalId: null,
    filters: [],
    segment: null,
    percent: null,
    direction: null,
    minimum: null,
    quietHours: null,
    pauseMinutes: 60,
    graceSeconds: 120,
    destinationIds: [],
    enabled: true,
    pausedFor: null,
    author: expect.any(Object) as object,
    sentence: 'Page views of the last hour above 100',
    state: 'waiting',
    lastDecision: null,
    id: ids.alertId,
    name: expect.any(String) as string,
    ...more,
  });

const one = {
  path: ({ ids }: Scene) => `/v1/alerts/${ids.alertId}`,
  fresh: async (api: TestApi, ours: House) => ({
    ids: { alertId: await created(api, 'POST /v1/alerts', alertBody(ours), ours.headers) },
  }),
};

let renamed = 0;

/** The samples of alerts, by line of the rules. */
export const ALERT_SAMPLES: Readonly<Record<string, Sample>> = {
  'GET /v1/alerts': {
    path: ofOrganization('/v1/alerts'),
    // those of the website, which a key of another one does not reach
    answer: (scene) => {
      const { standing } = scene.caller;
      return standing.as === 'key' && standing.on === 'another website' ? listOf([]) : listWith(answer(scene));
    },
  },
  'GET /v1/alerts/destinations': {
    path: ofOrganization('/v1/alerts/destinations'),
    answer: () => expect.objectContaining({ success: true }) as object, // what is opened to whom has a spec of its own
  },
  'GET /v1/alerts/:id': { path: one.path, answer: (scene) => answer(scene) },
  'GET /v1/alerts/:id/decisions': {
    path: (scene) => `${one.path(scene)}/decisions`,
    answer: () => ({ ...listOf([]), changedLater: 0 }),
  },
  'POST /v1/alerts/trial': {
    path: () => '/v1/alerts/trial',
    body: ({ ids }) => alertBody(ids),
    answer: () => expect.objectContaining({ decided: 0, told: [], timezone: 'UTC' }) as object,
  },
  'PATCH /v1/alerts/:id': {
    ...one,
    body: () => ({ name: `Renamed ${++renamed}` }),
    answer: (scene) => answer(scene, { name: `Renamed ${renamed}` }),
  },
  'DELETE /v1/alerts/:id': { ...one, answer: () => ({}) },
  'POST /v1/alerts': {
    path: () => '/v1/alerts',
    body: ({ ids }) => alertBody(ids),
    answer: (scene) => answer(scene, { id: expect.stringMatching(/^alr_/) as string }),
  },
};
