import { omit } from '@ledgerline/domain/decider';
import { newKey, ownerWithWebsite } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { connectAgent, TOOLS_OF_KEYS, type Agent } from '@test/mcp/agent';
import { projectInto, type DirectProjector } from '@test/query/projected-database';

/** Models send null for what they leave out. */
describe('an optional argument that is null', () => {
  it.each(TOOLS_OF_KEYS.filter((name) => !['get_link', 'verify_audit_log'].includes(name)))(
    'of %s is left out',
    async (name) => {
      const { tools } = await agent.client.listTools();
      const { properties = {} } = tools.find((tool) => tool.name === name)!.inputSchema;
      const given = { ...ids, ...NEEDED[name] };
      const args = Object.fromEntries(
        Object.keys(properties).flatMap((each) => (each in given ? [[each, given[each]]] : [])),
      );
      const withNull = Object.fromEntries(Object.keys(properties).map((each) => [each, args[each] ?? null]));
      expect(Object.values(withNull)).toContain(null);
      expect(timeless(await agent.call(name, withNull))).toEqual(timeless(await agent.call(name, args)));
    },
  );

  it('within a condition is left out', async () => {
    const condition = { kind: 'page', filters: null };
    const made = await agent.call('create_goal', { websiteId: ids['websiteId'], name: 'A page', condition });
    expect(made).toMatchObject({ changes: { condition: { after: { kind: 'page' } } } });
    const changed = { goalId: ids['goalId'], condition: { ...CONDITION, filters: null } };
    expect(await agent.call('update_goal', changed)).toMatchObject({ done: false });
  });
});

describe('the website of a goal, funnel or segment', () => {
  it('may be named beside its id, and must be its own then', async () => {
    const { websiteId, goalId, funnelId, segmentId } = ids;
    const other = (await ownerWithWebsite(api)).websiteId;
    for (const [tool, args, list] of [
      ['update_goal', { goalId, name: 'A' }, 'list_goals'],
      ['delete_goal', { goalId }, 'list_goals'],
      ['get_goal_analytics', { goalId }, 'list_goals'],
      ['update_funnel', { funnelId, name: 'A' }, 'list_funnels'],
      ['delete_funnel', { funnelId }, 'list_funnels'],
      ['get_funnel_analytics', { funnelId }, 'list_funnels'],
      ['update_segment', { segmentId, name: 'A' }, 'list_segments'],
      ['delete_segment', { segmentId }, 'list_segments'],
    ] as const) {
      expect(Object.keys(await agent.call(tool, { ...args, websiteId }))).toContain('note');
      expect(await agent.refused(tool, { ...args, websiteId: other })).toMatchObject({
        code: 'NOT_FOUND',
        hint: `Look up the id with ${list}.`,
      });
    }
  });
});

describe('what is not found', () => {
  it('is looked up with the list of its kind', async () => {
    const { websiteId } = ids;
    const asked = { websiteId, parameters: [{ name: 'goals', goals: ['goal_none'] }] };
    for (const [tool, args, list] of [
      ['get_link', { linkId: 'link_none' }, 'list_links'],
      ['get_goal_analytics', { goalId: 'goal_none' }, 'list_goals'],
      ['get_funnel_analytics', { funnelId: 'funnel_none' }, 'list_funnels'],
      ['delete_segment', { segmentId: 'seg_none' }, 'list_segments'],
      ['get_status', { monitorId: 'mon_none' }, 'list_monitors'],
      ['create_goal', { websiteId: 'site_none', name: 'A', condition: CONDITION }, 'list_websites'],
      ['query', asked, 'list_goals'],
      ['query', { ...asked, parameters: [{ name: 'funnel', funnel: 'funnel_none' }] }, 'list_funnels'],
      ['query', { websiteId, parameters: ['top_pages'], segment: 'seg_none' }, 'list_segments'],
      ['query', { websiteId: 'site_none', parameters: ['top_pages'] }, 'list_websites'],
      ['query', { linkId: 'link_none', parameters: ['link_total_clicks'] }, 'list_links'],
      ['query', { monitorId: 'mon_none', parameters: ['uptime_summary'] }, 'list_monitors'],
    ] as const)
      expect([tool, args, (await agent.refused(tool, args)).hint]).toEqual([tool, args, expect.stringContaining(list)]);
  });
});

const CONDITION = { kind: 'page' };
const STEPS = [{ condition: CONDITION }, { condition: CONDITION }];
const LINK = { name: 'Spring', targetUrl: 'https://example.com/spring' };
const DID = [{ condition: CONDITION, within: 'session' }];

type Args = Readonly<Record<string, unknown>>;

/** The arguments that a tool needs beside ids; of arguments that are alternatives it has one. */
const NEEDED: Readonly<Record<string, Args>> = {
  query: { parameters: ['top_pages'], linkId: undefined, tagId: undefined },
  create_link: LINK,
  create_goal: { name: 'Signup', condition: CONDITION },
  create_funnel: { name: 'Way', steps: STEPS },
  create_segment: { name: 'Joined', did: DID },
  create_saved_view: { name: 'Last month', preset: 'last_month' },
  create_tag: { name: 'Spring' },
  list_annotations: { linkId: undefined },
  create_alert: {
    name: 'Busy',
    figure: 'pageviews',
    window: { minutes: 1_440 },
    compare: 'above',
    threshold: 9,
    linkId: undefined,
    goalId: undefined,
  },
  create_annotation: { text: 'New prices', at: '2026-11-27T12:00:00.000Z', linkId: undefined },
};

const timeless = (answer: Args): Args => omit(answer, 'meta');

let api: TestApi;
let projector: DirectProjector;
let agent: Agent;
let ids: Args;

beforeAll(async () => {
  api = await startTestApi();
  projector = await projectInto(api.settings.databaseUrl, []);
  const owner = await ownerWithWebsite(api);
  const { websiteId } = owner;
  const scopes = ['read:data', 'write:data', 'read:audit', 'manage:flags'];
  agent = await connectAgent(api, await newKey(api, owner, { scopes }));
  const create = async (noun: string, args: object, field = noun): Promise<string> => {
    const made = await agent.call(`create_${noun}`, { ...args, confirm: true });
    return (made[field] as { readonly id: string }).id;
  };
  ids = {
    websiteId,
    linkId: await create('link', LINK),
    goalId: await create('goal', { websiteId, name: 'Visit', condition: CONDITION }),
    funnelId: await create('funnel', { websiteId, name: 'Twice', steps: STEPS }),
    segmentId: await create('segment', { websiteId, name: 'Seen', did: DID }),
    tagId: await create('tag', { name: 'Winter' }),
    savedViewId: await create('saved_view', { websiteId, name: 'Plain' }, 'savedView'),
  };
});

afterAll(async () => {
  await agent.close();
  await projector.close();
  await api.close();
});
