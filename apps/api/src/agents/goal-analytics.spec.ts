import { ask } from '@test/api/ask';
import { connectAgent, type Agent } from '@test/mcp/agent';
import { DAY, rowsOf, startQueryApi, type QueryApi } from '@test/query/query-api';

const PAGE = { kind: 'page' };
const DAYS = { startDate: DAY, endDate: DAY };

const NOT_FOUND = { code: 'NOT_FOUND' };

describe('tools that count', () => {
  it('answer of a goal what a query with its id answers', async () => {
    const goalId = await created('goals', { name: 'Views', condition: PAGE });
    const counted = await agent.call('get_goal_analytics', { goalId, ...DAYS, by: 'country' });
    const [summary] = rowsOf(await query.question({ parameters: ['summary_metrics'], ...DAYS }));
    expect(summary).toMatchObject({ pageviews: 3, unique_visitors: 2 });
    expect(counted).toMatchObject({
      goal: { id: goalId, name: 'Views' },
      data: [
        { parameter: 'goals', data: [{ goal_id: goalId, conversions: 3, visitors: 2, conversion_rate: 100 }] },
        { parameter: 'goals_by_day', data: [{ date: DAY, goal_id: goalId, conversions: 3 }] },
        { parameter: 'goal_by', data: [{ name: 'Germany', conversions: 2 }, { conversions: 1 }] },
      ],
      truncated: false,
    });
    const parameters = [{ name: 'goals', goals: [goalId] }];
    const { body } = await query.question({ parameters, ...DAYS });
    expect((counted.data as object[])[0]).toEqual((body.data as object[])[0]);
  });

  it('answer of a funnel how many get from step to step', async () => {
    const second = { ...PAGE, filters: [{ field: 'path', op: 'eq', value: '/=1+1' }] };
    const funnelId = await created('funnels', { name: 'Steps', steps: [{ condition: PAGE }, { condition: second }] });
    expect(await agent.call('get_funnel_analytics', { funnelId, ...DAYS })).toMatchObject({
      funnel: { id: funnelId },
      data: [
        {
          parameter: 'funnel',
          data: [
            { step: 1, reached: 2, dropped: 1 },
            { step: 2, reached: 1, dropped: 0 },
          ],
        },
        { parameter: 'funnel_by_day', data: [{ date: DAY, entered: 2, completed: 1 }] },
      ],
    });
  });

  it('count the visits of filters and of a segment, also by its id', async () => {
    const funnelId = await created('funnels', { name: 'Twice', steps: [{ condition: PAGE }, { condition: PAGE }] });
    const germans = [{ field: 'country', op: 'eq', value: 'DE' }];
    const segment = await created('segments', { name: 'Germans', filters: germans });
    const counted = async (of: object) => {
      const { data } = await agent.call('get_funnel_analytics', { funnelId, ...DAYS, ...of });
      return (data as { data: { reached: number }[] }[])[0]!.data.map(({ reached }) => reached);
    };
    expect(await counted({})).toEqual([2, 1]);
    const ofGermans = await counted({ filters: germans });
    expect(ofGermans).toEqual([1, 1]);
    expect(await counted({ segment })).toEqual(ofGermans);
    expect(await counted({ segment: { filters: germans } })).toEqual(ofGermans);
    const parameters = [{ name: 'funnel', funnel: funnelId }, 'summary_metrics'];
    const { websiteId } = query.owner;
    expect(await agent.call('query', { websiteId, ...DAYS, segment, parameters })).toMatchObject({
      data: [{ data: [{ reached: 1 }, { reached: 1 }] }, { data: [{ unique_visitors: 1 }] }],
    });
    const wrong = { websiteId, parameters: [{ name: 'funnel', funnel: 7 }] };
    expect(await agent.refused('query', wrong)).toMatchObject({ details: [{ field: 'parameters[0].funnel' }] });
    const beside = { websiteId, ...DAYS, parameters: [{ name: 'funnel', funnel: { steps: [] } }, 'summary_metrics'] };
    expect(await agent.call('query', beside)).toMatchObject({
      data: [{ success: false, error: expect.stringContaining('funnel.steps: ') as string }, { success: true }],
    });
  });

  it('say what is wrong with their arguments', async () => {
    expect(await agent.refused('get_goal_analytics', { goalId: 'goal_none' })).toMatchObject(NOT_FOUND);
    expect(await agent.refused('get_funnel_analytics', { funnelId: 'funnel_none' })).toMatchObject(NOT_FOUND);
    const goalId = await created('goals', { name: 'Wrong', condition: PAGE });
    const wrong = { goalId, filters: [{ field: 'path', op: 'like', value: '/' }], by: 7 };
    const { details } = await agent.refused('get_goal_analytics', wrong);
    expect(details!.map(({ field }) => field).sort()).toEqual(['by', 'filters[0].op']);
    const both = await agent.refused('get_goal_analytics', { goalId, preset: 'last_7d', ...DAYS });
    expect(both).toMatchObject({ details: [{ field: 'preset' }] });
  });
});

async function created(kind: 'goals' | 'funnels' | 'segments', details: object): Promise<string> {
  const { organizationId, websiteId, headers } = query.owner;
  const { body, text } = await ask(query.api, `POST /v1/${kind}`, {
    body: { organizationId, websiteId, ...details },
    headers,
  });
  if (typeof body.id !== 'string') throw new Error(text);
  return body.id;
}

let query: QueryApi;
let agent: Agent;

beforeAll(async () => {
  query = await startQueryApi();
  agent = await connectAgent(query.api, query.key);
});

afterAll(async () => {
  await agent.close();
  await query.close();
});
