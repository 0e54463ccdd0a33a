import type { TestApi } from '../api/test-api';
import { created, type House } from './cast';
import { definitionOf, listOf } from './records';
import { listWith, ofOrganization } from './requests';
import type { Ids, Sample, Scene } from './scene';

let names = 0;
const PAGE = { kind: 'page' };
const AT = '2026-01-01T00:00:00.000Z';
const GERMAN = { field: 'country', op: 'eq', value: 'DE' };

/** The details of each kind of definition, and its record beside that. */
const KINDS = {
  goals: { id: 'goalId', prefix: 'goal', details: { condition: PAGE }, record: { value: null } },
  funnels: {
    id: 'funnelId',
    prefix: 'funnel',
    details: { steps: [{ condition: PAGE }, { condition: PAGE }] },
    record: { window: null, order: 'ordered', per: 'visitor' },
  },
  segments: { id: 'segmentId', prefix: 'seg', details: { filters: [GERMAN] }, record: { did: [] } },
  'saved-views': {
    id: 'savedViewId',
    prefix: 'view',
    details: { preset: 'last_30d', filters: [GERMAN] },
    record: {
      isPrivate: false,
      ownerId: null,
      startDate: null,
      endDate: null,
      compare: null,
      segment: null,
      goal: null,
    },
  },
  annotations: {
    id: 'annotationId',
    prefix: 'note',
    details: { at: AT },
    record: { linkId: null, kind: null, from: null, to: null },
  },
} as const satisfies Readonly<
  Record<string, { id: keyof Ids; prefix: string; details: object; record: Readonly<Record<string, unknown>> }>
>;

type Kind = keyof typeof KINDS;

/** A definition of the website, with a name of its own. */
export const definitionBody = (kind: Kind, { organizationId, websiteId }: House) => ({
  organizationId,
  websiteId,
  [kind === 'annotations' ? 'text' : 'name']: `Name ${++names}`,
  ...KINDS[kind].details,
});

function samplesOf(kind: Kind): Readonly<Record<string, Sample>> {
  const { id, prefix, details, record } = KINDS[kind];
  const name = kind === 'annotations' ? 'text' : 'name';
  const answer = ({ ours, ids }: Scene, more: object = {}) =>
    definitionOf(prefix, ours, { ...details, ...record, id: ids[id], [name]: expect.any(String) as string, ...more });
  const one = {
    path: ({ ids }: Scene) => `/v1/${kind}/${ids[id]}`,
    fresh: async (api: TestApi, ours: House) => ({
      ids: { [id]: await created(api, `POST /v1/${kind}`, definitionBody(kind, ours), ours.headers) },
    }),
  };
  let renamed = 0;
  return {
    [`GET /v1/${kind}`]: {
      path: ofOrganization(`/v1/${kind}`),
      // those of the website, which a key of another one does not reach
      answer: (scene) => {
        const { standing } = scene.caller;
        return standing.as === 'key' && standing.on === 'another website' ? listOf([]) : listWith(answer(scene));
      },
    },
    [`GET /v1/${kind}/:id`]: { path: one.path, answer: (scene) => answer(scene) },
    [`PATCH /v1/${kind}/:id`]: {
      ...one,
      body: () => ({ [name]: `Renamed ${++renamed}` }),
      answer: (scene) => answer(scene, { [name]: `Renamed ${renamed}` }),
    },
    [`DELETE /v1/${kind}/:id`]: { ...one, answer: () => ({}) },
    [`POST /v1/${kind}`]: {
      path: () => `/v1/${kind}`,
      body: ({ ours, ids: { organizationId, websiteId } }) => ({
        ...definitionBody(kind, ours),
        organizationId,
        websiteId,
      }),
      answer: ({ ours }) =>
        definitionOf(prefix, ours, { ...details, ...record, [name]: expect.stringMatching(/^Name \d+$/) as string }),
    },
  };
}

/** The samples of goals, funnels, segments, saved views and annotations, by line of the rules. */
export const GOAL_SAMPLES: Readonly<Record<string, Sample>> = {
  ...samplesOf('goals'),
  ...samplesOf('funnels'),
  ...samplesOf('segments'),
  ...samplesOf('saved-views'),
  ...samplesOf('annotations'),
};
