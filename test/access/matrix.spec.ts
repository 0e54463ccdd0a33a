import { askReady } from '@test/api/ask-ready';
import { Routes } from '../../apps/api/src/http/route';
import { ask, type Answer } from '../api/ask';
import { colleague, OPERATOR } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { build } from '../journeys/product';
import { newGrant } from '../oauth/new-grant';
import { projectInto, type DirectProjector } from '../query/projected-database';
import { alertBody } from './alert-samples';
import { castOf, created, EVERY_SCOPE, newHouse, newKey, type Caller, type House } from './cast';
import { destinationBody, newReport } from './destination-samples';
import { definitionBody } from './goal-samples';
import { erase, flagBody, INCIDENT, invite, MONITOR, NEWCOMER, statusPageBody } from './requests';
import { outcomeOf, RULES, type Outcome, type Rule } from './rules';
import { SAMPLES } from './samples';
import { UNKNOWN, type Ids, type Scene } from './scene';
import { newShare } from './share-samples';
import { tagBody } from './tag-samples';

describe('access', () => {
  it('is ruled for every route there is', () => {
    const routes = api.app.get(Routes, { strict: false }).all();
    expect(new Set(RULES.map(({ route }) => route))).toEqual(new Set(routes.map(({ name }) => name)));
    expect(Object.keys(SAMPLES).sort()).toEqual(RULES.map(({ line }) => line).sort());
  });

  describe.each(RULES.map((rule) => [rule.line, rule] as const))('%s', (_, rule) => {
    it('is given to those who may, and to nobody else', async () => {
      const [given, expected] = await outcomesOf(rule, standing, true);
      expect(given).toEqual(expected);
    });

    if (rule.outside !== '-')
      it('is refused for what there is not as for what is elsewhere', async () => {
        const [given, expected] = await outcomesOf(rule, UNKNOWN, false);
        expect(given).toEqual(expected);
      });
  });
});

/** Returns what every caller gets, and what the rules demand, by the caller's name. */
async function outcomesOf(rule: Rule, named: Ids, exists: boolean) {
  const given: Record<string, unknown> = {};
  const expected: Record<string, unknown> = {};
  const judge = async (caller: Caller) => {
    const outcome = outcomeOf(rule, caller.standing, exists);
    const fresh = outcome === 'success' ? await SAMPLES[rule.line]!.fresh?.(api, ours, caller) : undefined;
    const headers = fresh?.headers ?? caller.headers;
    const scene = { ours, caller: { ...caller, headers }, ids: { ...named, ...fresh?.ids } };
    given[caller.name] = await outcomeFor(rule, scene);
    expected[caller.name] = expectedOf(rule, outcome, scene);
  };
  const callers = exists ? cast : cast.filter(({ standing: { as } }) => as === 'key' || as === 'person');
  // who reads, or does what all may, does not get into the other's way, and passwords take their time
  if (rule.people === 'public' || rule.route.startsWith('GET ')) await Promise.all(callers.map(judge));
  else for (const caller of callers) await judge(caller);
  return [given, expected] as const;
}

async function outcomeFor(rule: Rule, scene: Scene) {
  const { path, body } = SAMPLES[rule.line]!;
  const method = rule.route.split(' ')[0] as 'GET';
  const sent = { headers: scene.caller.headers, ...(body ? { body: body(scene) } : {}) };
  const { status, headers, body: answer } = await ask(api, `${method} ${path(scene)}`, sent);
  const { requestId = headers['x-request-id'], ...shown } = withoutNeeds(answer);
  expect(requestId).toMatch(/^[\w-]{8,}$/);
  expect(requestId).toBe(headers['x-request-id']);
  return { status, body: shown, challenge: headers['www-authenticate'] };
}

function expectedOf(rule: Rule, outcome: Outcome, scene: Scene): object {
  switch (outcome) {
    case 'success':
      return { status: rule.success, body: SAMPLES[rule.line]!.answer(scene), challenge: undefined };
    case 'unauthenticated':
      return { ...refusal(401, 'AUTH_REQUIRED', 'Authentication required'), challenge: challengeOf(rule.route) };
    case 'forbidden':
      return forbiddenAt(rule.route);
    case 'outside':
      return rule.outside === '403' ? forbiddenAt(rule.route) : refusal(404, 'NOT_FOUND', `${rule.outside} not found`);
  }
}

/** The answer without what the credential lacks, which depends on it. */
const withoutNeeds = ({ details, ...answer }: Answer['body']): Answer['body'] =>
  details === undefined || answer['code'] === 'FORBIDDEN' ? answer : { ...answer, details };

const refusal = (status: number, code: string, error: string) => ({
  status,
  body: { success: false, error, code },
  challenge: undefined,
});

const MCP = 'POST /v1/mcp';
const metadataOf = (route: string) =>
  `resource_metadata="http://localhost:3000/.well-known/oauth-protected-resource${route === MCP ? '/v1/mcp' : ''}"`;
const challengeOf = (route: string) => `Bearer ${metadataOf(route)}`;

const forbiddenAt = (route: string) => ({
  ...refusal(403, 'FORBIDDEN', 'Insufficient permissions'),
  challenge: route === MCP ? `Bearer error="insufficient_scope", ${metadataOf(route)}` : undefined,
});

let api: TestApi;
let projector: DirectProjector;
let ours: House;
let cast: readonly Caller[];
let standing: Ids;

beforeAll(async () => {
  await build(); // of the console
  const limits = ['API', 'AUDIT_EXPORT', 'FAILED_AUTH', 'PUBLIC', 'QUERY', 'QUERY_ANONYMOUS'];
  const variables = Object.fromEntries(limits.map((name) => [`LIMIT_${name}_PER_MINUTE`, '100000']));
  api = await startTestApi({ ...variables, OPERATOR_EMAILS: OPERATOR });
  await api.signHeads();
  ours = await newHouse(api);
  cast = await castOf(api, ours);
  const { id: keyId } = await newKey(api, ours, { scopes: EVERY_SCOPE });
  const memberId = (await colleague(api, ours, 'member')).id;
  const invitationId = await invite(api, ours, NEWCOMER);
  const erasureId = await erase(api, ours, memberId);
  const grantId = await newGrant(api, ours);
  const flagId = await created(api, 'POST /v1/flags', flagBody(ours), ours.headers);
  const { organizationId, headers } = ours;
  const define = (kind: Parameters<typeof definitionBody>[0]) =>
    created(api, `POST /v1/${kind}`, definitionBody(kind, ours), headers);
  const monitorId = await created(api, 'POST /v1/monitors', { organizationId, ...MONITOR }, headers);
  const page = { organizationId, ...statusPageBody() };
  const statusPageId = await created(api, 'POST /v1/status-pages', page, headers);
  const incidentId = await created(api, `POST /v1/status-pages/${statusPageId}/incidents`, INCIDENT, headers);
  standing = {
    ...ours,
    flagId,
    goalId: await define('goals'),
    funnelId: await define('funnels'),
    segmentId: await define('segments'),
    savedViewId: await define('saved-views'),
    annotationId: await define('annotations'),
    monitorId,
    tagId: await created(api, 'POST /v1/tags', { organizationId, ...tagBody() }, headers),
    statusPageId,
    incidentId,
    ...(await newShare(api, ours)),
    destinationId: await created(api, 'POST /v1/destinations', { organizationId, ...destinationBody() }, headers),
    alertId: await created(api, 'POST /v1/alerts', alertBody(ours), headers),
    reportId: await newReport(api, ours),
    keyId,
    memberId,
    invitationId,
    erasureId,
    grantId,
  };
  projector = await projectInto(api.settings.databaseUrl, []);
  await projector.catchUp();
  await askReady(api); // what its polls know is older than the house
});

afterAll(async () => {
  await projector.close();
  await api.close();
});
