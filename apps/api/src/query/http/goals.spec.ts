import { randomBytes } from 'node:crypto';
import { ask, type Answer } from '@test/api/ask';
import { eachKindOf } from '@test/events/each-kind';
import { pageView } from '@test/events/observed-events';
import { DAY, rowsOf, startQueryApi, type QueryApi } from '@test/query/query-api';

const RANGE = { startDate: DAY, endDate: DAY };
const PAGES = { kind: 'page' };
const HOME = { field: 'path', op: 'eq', value: '/' };
const NEVER = { kind: 'outgoing_link', filters: [{ field: 'link_kind', op: 'eq', value: 'nope' }] };
const goalsOn = (kind: string, ...filters: object[]) => ({ name: 'goals', goals: [{ condition: { kind, filters } }] });
const STEPS = (count: number) => ({ steps: Array.from({ length: count }, () => ({ condition: PAGES })) });

describe('a question about goals', () => {
  it('names them by id, or is about all of the website', async () => {
    const first = await goal('Views', PAGES);
    const second = await goal('Home', { ...PAGES, filters: [HOME] });
    const { body } = await on.question({ ...RANGE, parameters: [{ name: 'goals', goals: [second] }, 'goals'] });
    const [named, all] = body.data as { data: object[] }[];
    expect(named?.data).toEqual([expect.objectContaining({ goal_id: second, name: 'Home', conversions: 2 })]);
    expect(all?.data).toMatchObject([
      { goal_id: first, conversions: 3, visitors: 2, conversion_rate: 100 },
      { goal_id: second, conversions: 2 },
    ]);
    const summary = await on.question({ ...RANGE, parameters: ['summary_metrics'] });
    expect(rowsOf(summary)).toMatchObject([{ pageviews: 3, unique_visitors: 2 }]);
  });

  it('selects events of every kind by the host of their page', async () => {
    const { websiteId } = on.owner;
    await on.send(eachKindOf(websiteId, 'UTC'));
    const kinds = ['page', 'event', 'outgoing_link', 'error', 'vital'];
    const goals = kinds.map((kind) => ({ condition: { kind } }));
    const of = (value: string) => [{ field: 'hostname', op: 'eq', value }];
    const day = '2026-05-24';
    const parameters = [{ name: 'goals', goals }];
    const conversions = async (host: string) => {
      const answer = await on.question({ startDate: day, endDate: day, parameters, filters: of(host) });
      return rowsOf(answer).map((row) => (row as { conversions: number }).conversions);
    };
    expect(await conversions('example.com')).toEqual([1, 1, 1, 1, 1]);
    expect(await conversions('other.example')).toEqual([0, 0, 0, 0, 0]);
  });

  it('is a series of at most as many goals as it may name, and says of how many', async () => {
    const { organizationId, headers } = on.owner;
    const website = { organizationId, name: 'Shop', domain: 'example.com' };
    const { id: websiteId } = (await ask(on.api, 'POST /v1/websites', { body: website, headers })).body;
    for (let nth = 0; nth < 21; nth++)
      await ask(on.api, 'POST /v1/goals', {
        body: { organizationId, websiteId, name: `Goal ${nth}`, condition: PAGES },
        headers,
      });
    const { body } = await ask(on.api, `POST /v1/query?website_id=${websiteId as string}`, {
      body: { ...RANGE, parameters: ['goals', 'goals_by_day'] },
      headers,
    });
    const [all, series] = body.data as { data: { name: string }[] }[];
    expect(all?.data).toHaveLength(21);
    expect(series?.data.map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_, nth) => `Goal ${nth}`));
    expect((body.meta as { notes: string[] }).notes).toEqual([
      'parameters[1] (goals_by_day): Of 21 goals the first 20 are counted; name others in goals.',
    ]);
  });

  it('lists nobody as dropped at the last step of a funnel', async () => {
    const visitors = (step: number, state: string) => ({ name: 'funnel_visitors', funnel: STEPS(2), step, state });
    const parameters = [visitors(2, 'reached'), visitors(2, 'dropped'), visitors(1, 'dropped')];
    const { body } = await on.question({ ...RANGE, parameters });
    expect((body.data as { data: object[] }[]).map(({ data }) => data.length)).toEqual([1, 0, 1]);
  });

  it('follows a definition that has changed, and fails its entry where it is gone', async () => {
    const id = await goal('Some', PAGES);
    const asked = { ...RANGE, parameters: [{ name: 'goals', goals: [id] }, 'top_pages'] };
    expect(rowsOf(await on.question(asked))).toMatchObject([{ conversions: 3 }]);
    const headers = on.owner.headers;
    await ask(on.api, `PATCH /v1/goals/${id}`, { body: { condition: { kind: 'error' } }, headers });
    expect(rowsOf(await on.question(asked))).toMatchObject([{ conversions: 0 }]);
    await ask(on.api, `DELETE /v1/goals/${id}`, { headers });
    expect(errorsOf(await on.question(asked))).toEqual([expect.stringContaining('goals[0]'), undefined]);
  });

  it('is noted with what may still change', async () => {
    const { websiteId } = on.owner;
    await on.send([pageView(Date.now() - 60_000, { websiteId, visitorId: randomBytes(16).toString('hex') })]);
    const funnel = { steps: [{ condition: PAGES }, { condition: { kind: 'event' } }], window: '1d' };
    const { body } = await on.question({ preset: 'last_7d', parameters: [{ name: 'funnel', funnel }] });
    expect((body.meta as { notes: string[] }).notes).toContain(
      'parameters[0] (funnel): Attempts of 1 visitor may still go on, as their window is not over.',
    );
  });

  it.each<[string, object, string]>([
    ['no funnel', { name: 'funnel' }, 'funnel needs funnel'],
    ['no goal', { name: 'goal_by', by: 'country' }, 'goal_by needs goal'],
    ['an unknown goal', { name: 'goals', goals: ['goal_1'] }, 'goals[0] is "goal_1"'],
    [
      'what nothing is broken down by',
      { name: 'goal_by', goal: { condition: { kind: 'page' } }, by: 'county' },
      'Did you mean country?',
    ],
    ['an option of other types', { name: 'top_pages', by: 'country' }, 'top_pages takes no by'],
    ['neither goal nor property', { name: 'revenue' }, 'either goal or property'],
    [
      'the revenue of a goal without a value',
      { name: 'revenue', goal: { condition: { kind: 'event' } } },
      'has no value',
    ],
    ['journeys from nowhere', { name: 'journeys' }, 'either from or to'],
    ['journeys by country', { name: 'journeys', from: PAGES, by: 'country' }, 'by is page or event'],
    ['a step too many', { name: 'funnel_visitors', funnel: STEPS(2), step: 3 }, 'has 2 steps'],
    [
      'an unknown field of a condition',
      { name: 'goals', goals: [{ condition: { kind: 'page', filters: [{ ...HOME, field: 'name' }] } }] },
      'goals[0].condition.filters[0].field: field must be one of path, query_string, hostname.',
    ],
    ['a funnel of one step', { name: 'funnel', funnel: STEPS(1) }, 'funnel.steps: steps must hold at least 2 entries.'],
    ['a funnel of 33 steps', { name: 'funnel', funnel: STEPS(33) }, 'funnel.steps: '],
    ['a window that is none', { name: 'funnel', funnel: { ...STEPS(2), window: '0d' } }, 'from 1m to 3660d'],
    [
      'a glob that is no text',
      goalsOn('page', { ...HOME, op: 'glob', value: 7 }),
      'filters[0].value: value must be a text',
    ],
    [
      'a number that is none',
      goalsOn('event', { field: 'property:a', op: 'gt', value: '1,50' }),
      'must be a number such as 19.99',
    ],
    [
      'what can never be',
      { name: 'journeys', from: NEVER },
      'from.filters[0].value: value must be one of link, download.',
    ],
    ['what can never come again', { name: 'retention', again: NEVER }, 'again.filters[0].value: '],
    ['a number for a funnel', { name: 'funnel', funnel: 7 }, 'funnel: funnel must be an object.'],
  ])('fails its entry alone with %s', async (_, parameter, message) => {
    const errors = errorsOf(await on.question({ ...RANGE, parameters: [parameter, 'top_pages'] }));
    expect(errors).toEqual([expect.stringContaining(message), undefined]);
  });

  it.each<[string, object, string[]]>([
    ['an unknown field', { name: 'goals', goal_ids: [] }, ['goal_ids']],
    [
      'a window of clicks that is too long',
      { name: 'link_conversions', goal: { condition: PAGES }, window: '91d' },
      ['window'],
    ],
    ['an unknown model', { name: 'link_conversions', goal: { condition: PAGES }, model: 'all' }, ['model']],
    [
      'a long name of a property',
      { name: 'goal_by', goal: { condition: { kind: 'event' } }, by: `property:${'x'.repeat(300)}` },
      ['by'],
    ],
    ['journeys that are too long', { name: 'journeys', from: PAGES, steps: 6 }, ['steps']],
    ['too many periods', { name: 'retention', periods: 53 }, ['periods']],
    [
      'an unknown model beside a definition that would fail alone',
      { name: 'link_conversions', goal: { condition: NEVER }, model: 'all' },
      ['goal.condition.filters[0].value', 'model'],
    ],
  ])('is refused with %s', async (_, parameter, fields) => {
    const { status, body } = await on.question({ ...RANGE, parameters: ['top_pages', parameter] });
    expect(status).toBe(400);
    expect((body.details as { field: string }[]).map(({ field }) => field)).toEqual(
      fields.map((field) => `parameters[1].${field}`),
    );
  });

  it.each<[string, object, string | undefined]>([
    ['daily', { name: 'funnel', funnel: { ...STEPS(2), window: '2d' } }, 'choose a window of at most 1d'],
    ['daily', { name: 'funnel', funnel: { ...STEPS(2), window: '2d', per: 'session' } }, undefined],
    ['daily', { name: 'funnel', funnel: STEPS(2) }, undefined],
    ['daily', { name: 'retention' }, 'choose monthly or stable ids'],
    ['monthly', { name: 'funnel', funnel: { ...STEPS(2), window: '32d' } }, 'at most 31d'],
    ['monthly', { name: 'retention', period: 'month' }, 'choose the period day or week'],
    ['monthly', { name: 'retention', period: 'day' }, undefined],
  ])('knows what %s ids of visitors can tell: %j', async (visitorIdentity, parameter, message) => {
    const { organizationId, headers } = on.owner;
    const website = { organizationId, name: 'Shop', domain: 'example.com', visitorIdentity };
    const { body } = await ask(on.api, 'POST /v1/websites', { body: website, headers });
    const answer = await ask(on.api, `POST /v1/query?website_id=${body.id as string}`, {
      body: { ...RANGE, parameters: [parameter] },
      headers,
    });
    const { data } = answer.body as { data: { error?: string }[] };
    if (message === undefined) expect(data[0]).toMatchObject({ success: true });
    else expect(data[0]?.error).toContain(message);
  });
});

describe('a question about a segment', () => {
  it('counts its sessions alone, and it as one filter', async () => {
    const { organizationId, websiteId, headers } = on.owner;
    const definition = {
      filters: [{ field: 'country', op: 'eq', value: 'DE' }],
      did: [did({ ...PAGES, filters: [HOME] })],
    };
    const body = { organizationId, websiteId, name: 'Germans', ...definition };
    const created = await ask(on.api, 'POST /v1/segments', { body, headers });
    for (const segment of [created.body.id, definition]) {
      const answer = await on.question({ ...RANGE, segment, parameters: ['summary_metrics'] });
      expect(rowsOf(answer)).toMatchObject([{ pageviews: 2, unique_visitors: 1 }]);
      expect(answer.body.meta).toMatchObject({ filters_applied: 1 });
    }
    const others = { did: [{ ...did({ ...PAGES, filters: [{ ...HOME, value: '/=1+1' }] }), not: true }] };
    const rest = await on.question({ ...RANGE, segment: others, parameters: ['summary_metrics'] });
    expect(rowsOf(rest)).toMatchObject([{ pageviews: 1, unique_visitors: 1 }]);
  });

  it('is not answered to anybody without credentials, of a public website', async () => {
    const { websiteId, headers } = on.owner;
    await ask(on.api, `PATCH /v1/websites/${websiteId}`, { body: { isPublic: true }, headers });
    const body = { ...RANGE, segment: { did: [did(PAGES)] }, parameters: ['summary_metrics'] };
    const answer = await ask(on.api, `POST /v1/query?website_id=${websiteId}`, { body });
    expect(errorsOf(answer)).toEqual(['Insufficient permissions']);
  });

  it('fails the entries of types that list single things with what visitors did, and all with one that is gone', async () => {
    const parameters = ['session_list', 'top_pages'];
    const segment = { did: [did(PAGES)] };
    expect(errorsOf(await on.question({ ...RANGE, segment, parameters }))).toEqual([
      expect.stringContaining('session_list lists single things'),
      undefined,
    ]);
    const gone = errorsOf(await on.question({ ...RANGE, segment: 'seg_1', parameters }));
    expect(gone).toEqual(parameters.map(() => expect.stringContaining('segment is "seg_1"') as string));
    const { status, body } = await on.question({
      ...RANGE,
      segment: { filters: [{ field: 'name', op: 'eq', value: 'x' }] },
      parameters,
    });
    expect([status, (body.details as object[])[0]]).toMatchObject([400, { field: 'segment.filters[0].field' }]);
    for (const empty of [{}, { filters: [], did: [] }])
      expect(await on.question({ ...RANGE, segment: empty, parameters })).toMatchObject({
        status: 400,
        body: { details: [{ field: 'segment' }] },
      });
  });
});

const did = (condition: object) => ({ condition, within: 'range' });

const errorsOf = ({ body }: Answer) => (body.data as { error?: string }[]).map(({ error }) => error);

async function goal(name: string, condition: object): Promise<string> {
  const { organizationId, websiteId, headers } = on.owner;
  const { body } = await ask(on.api, 'POST /v1/goals', {
    body: { organizationId, websiteId, name, condition },
    headers,
  });
  return body.id as string;
}

let on: QueryApi;
beforeAll(async () => (on = await startQueryApi()));
afterAll(() => on.close());
