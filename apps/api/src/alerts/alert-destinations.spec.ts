import { ask } from '@test/api/ask';
import { ok } from '@test/api/every-change';
import { colleague, newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';

describe('GET /v1/alerts/destinations', () => {
  it('answers owners with all that are about the website, without their addresses', async () => {
    expect(await namesFor(owner.headers)).toEqual(['Closed', 'Open', 'Of the goal']);
    const [first] = await listed(owner.headers);
    expect(Object.keys(first!).sort()).toEqual(['id', 'kind', 'name', 'state']);
  });

  it('answers members and keys with what an admin opened to them', async () => {
    const member = await colleague(api, owner, 'member');
    expect(await namesFor(member.headers)).toEqual(['Open']);
    const key = await newKey(api, owner, { scopes: ['read:data', 'write:data'] });
    expect(await namesFor({ 'x-api-key': key })).toEqual(['Open']);
    const reader = await newKey(api, owner, { scopes: ['read:data'] });
    expect(await namesFor({ 'x-api-key': reader })).toEqual([]);
  });

  it('leaves out what is about other goals, and is nothing for strangers', async () => {
    const goals = { condition: { kind: 'page', filters: [{ field: 'path', op: 'eq', value: '/' }] } };
    const other = await create('/v1/goals', { websiteId: owner.websiteId, name: 'Other', ...goals });
    expect(await namesFor(owner.headers, `&goalId=${other}`)).toEqual(['Closed', 'Open']);
    const stranger = await ownerWithWebsite(api);
    expect((await ask(api, route(), { headers: stranger.headers })).status).toBe(404);
  });
});

let api: TestApi;
let owner: Owner;

const route = (more = '') =>
  `GET /v1/alerts/destinations?organizationId=${owner.organizationId}&websiteId=${owner.websiteId}${more}` as const;

const listed = async (headers: Readonly<Record<string, string>>, more?: string) =>
  (await ok(api, route(more), { headers })).body.data as Record<string, string>[];

const namesFor = async (headers: Readonly<Record<string, string>>, more?: string) =>
  (await listed(headers, more)).map(({ name }) => name);

async function create(path: string, body: object): Promise<string> {
  const { organizationId, headers } = owner;
  return String((await ok(api, `POST ${path}`, { body: { organizationId, ...body }, headers })).body.id);
}

beforeAll(async () => {
  api = await startTestApi();
  owner = await ownerWithWebsite(api);
  const hook = { kind: 'webhook', url: 'https://hooks.example.com/' };
  const condition = { kind: 'page', filters: [{ field: 'path', op: 'eq', value: '/thanks' }] };
  const goal = await create('/v1/goals', { websiteId: owner.websiteId, name: 'Thanked', condition });
  const elsewhere = await create('/v1/websites', { name: 'Other', domain: 'other.example' });
  await create('/v1/destinations', { ...hook, name: 'Closed' });
  await create('/v1/destinations', { ...hook, name: 'Open', openToMembers: true });
  await create('/v1/destinations', { ...hook, name: 'Elsewhere', openToMembers: true, websiteIds: [elsewhere] });
  await create('/v1/destinations', { ...hook, name: 'Of the goal', goalIds: [goal] });
  await create('/v1/destinations', { kind: 'audit', name: 'SIEM', url: 'https://siem.example.com/' });
});

afterAll(() => api.close());
