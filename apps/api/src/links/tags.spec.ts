import { randomBytes } from 'node:crypto';
import { ask } from '@test/api/ask';
import { readAuditLog } from '@test/api/audit-log';
import { newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { linkClicked } from '@test/events/observed-events';
import { connectAgent } from '@test/mcp/agent';
import { projectInto, type DirectProjector } from '@test/query/projected-database';

describe('a tag', () => {
  it('is created, listed, changed and deleted, with a name of its own', async () => {
    const first = await create('/v1/tags', { name: 'Newsletter' });
    expect(first).toMatchObject({ status: 201, body: { name: 'Newsletter', color: 'gray' } });
    const path = `/v1/tags/${String(first.body.id)}` as const;
    expect(first.body.id).toMatch(/^tag_/);
    expect(await create('/v1/tags', { name: 'Newsletter', color: 'red' })).toMatchObject({ status: 409 });
    expect(await create('/v1/tags', { name: 'Odd', color: 'mauve' })).toMatchObject({ status: 400 });
    expect((await ask(api, `PATCH ${path}`, { body: { color: 'teal' }, headers })).body).toMatchObject({
      color: 'teal',
    });
    const { body } = await ask(api, `GET /v1/tags?organizationId=${owner.organizationId}`, { headers });
    expect(body.data).toMatchObject([{ id: first.body.id, name: 'Newsletter', color: 'teal' }]);
    expect((await ask(api, `DELETE ${path}`, { headers })).status).toBe(204);
    expect((await create('/v1/tags', { name: 'Newsletter' })).status).toBe(201);
  });

  it('is on links, one by one and in bulk, and goes with its deletion', async () => {
    const spring = await tagged('Spring');
    const sale = await tagged('Sale');
    const link = await create('/v1/links', { ...LINK, tagIds: [spring, sale] });
    expect(link.body.tagIds).toEqual([spring, sale]);
    const path = `/v1/links/${String(link.body.id)}` as const;
    const links = [{ ...LINK, tagIds: [sale] }, { ...LINK, tagIds: ['tag_none'] }, LINK];
    const { results } = (await create('/v1/links/bulk', { links })).body as { results: readonly object[] };
    expect(results).toMatchObject([
      { link: { tagIds: [sale] } },
      { success: false, code: 'VALIDATION_ERROR', details: [{ field: 'tagIds[0]' }] },
      { link: { tagIds: [] } },
    ]);
    const changed = await ask(api, `PATCH ${path}`, { body: { tagIds: [sale] }, headers });
    expect(changed.body.tagIds).toEqual([sale]);
    const [entry] = await readAuditLog(api, owner, { targetId: String(link.body.id) });
    expect(entry?.changes).toEqual({ tagIds: { before: [spring, sale], after: [sale] } });
    await ask(api, `DELETE /v1/tags/${sale}`, { headers });
    expect((await ask(api, `GET ${path}`, { headers })).body.tagIds).toEqual([]);
    expect((await ask(api, `PATCH ${path}`, { body: { tagIds: null }, headers })).body.tagIds).toEqual([]);
  });

  it('of another organization is on no link', async () => {
    const elsewhere = await ownerWithWebsite(api);
    const body = { organizationId: elsewhere.organizationId, name: 'Theirs' };
    const theirs = String((await ask(api, 'POST /v1/tags', { body, headers: elsewhere.headers })).body.id);
    const fault = {
      status: 400,
      body: { details: [{ field: 'tagIds[0]', message: 'Must be a tag of the organization.' }] },
    };
    expect(await create('/v1/links', { ...LINK, tagIds: [theirs] })).toMatchObject(fault);
    expect(await create('/v1/links', { ...LINK, tagIds: Array(21).fill(theirs) })).toMatchObject({ status: 400 });
    expect(await overview({ tagId: theirs })).toMatchObject({ status: 404 });
  });

  it('filters the list of links, with other filters and without', async () => {
    const tagId = await tagged('Filtered');
    for (const name of ['Filtered B', 'Filtered A']) await create('/v1/links', { ...LINK, name, tagIds: [tagId] });
    await create('/v1/links', { ...LINK, name: 'Filtered C' });
    await projector.catchUp();
    expect(await names(`tagId=${tagId}&sort=name`)).toEqual(['Filtered A', 'Filtered B']);
    expect(await names(`tagId=${tagId}&search=filtered+b`)).toEqual(['Filtered B']);
    expect(await names('tagId=tag_none')).toEqual([]);
  });

  it('says of which links an overview is', async () => {
    const tagId = await tagged('Asked');
    const ids: unknown[] = [];
    for (const name of ['Asked A', 'Asked B'])
      ids.push((await create('/v1/links', { ...LINK, name, tagIds: [tagId] })).body.id);
    await projector.catchUp();
    const { status, body } = await overview({ tagId });
    expect([status, (body.results as { id: string }[]).map(({ id }) => id)]).toEqual([200, ids]);
    expect((body.results as object[])[0]).toMatchObject({ data: [{ data: [{ total: 0 }] }] });
    for (const wrong of [{ tagId, ids }, { tagId, about: 'website' }, {}])
      expect(await overview(wrong)).toMatchObject({ status: 400 });
  });

  it('is asked about as one link is, and counts a visitor of several of its links once', async () => {
    const tagId = await tagged('Campaign');
    const links = await Promise.all(
      ['Card', 'Mail'].map(async (name) =>
        String((await create('/v1/links', { ...LINK, name, tagIds: [tagId] })).body.id),
      ),
    );
    const at = Date.parse('2026-03-02T10:00:00Z');
    const visitorId = randomBytes(16).toString('hex');
    const { organizationId } = owner;
    for (const linkId of links) await projector.send(linkId, [linkClicked(at, { linkId, organizationId, visitorId })]);
    const answer = await query(`tag_id=${tagId}`, ['link_unique_clicks', 'link_clicks_by_day', 'annotations']);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        data: [
          { data: [{ total: 2, unique: 1 }] },
          { data: [{ date: '2026-03-02', clicks: 2 }] },
          { success: false, error: 'annotations is asked of a website or of one link, not of a tag.' },
        ],
        meta: { visitorIdentity: 'daily', newestEventAt: '2026-03-02T10:00:00.000Z' },
      },
    });
    const unused = await query(`tag_id=${await tagged('Unused')}`, ['link_unique_clicks']);
    expect(unused.body.data).toMatchObject([{ data: [{ total: 0, unique: 0 }] }]);
  });

  it('is asked about only beside nothing else, and by those who may see its links', async () => {
    const elsewhere = await ownerWithWebsite(api);
    const asked = `tag_id=${await tagged('Own')}`;
    expect(await query(`${asked}&link_id=link_1`, ['link_total_clicks'])).toMatchObject({ status: 400 });
    expect(await query(asked, ['link_total_clicks'], elsewhere.headers)).toMatchObject({ status: 403 });
    expect(await query('tag_id=tag_none', ['link_total_clicks'])).toMatchObject({ status: 403 });
    expect(await query(asked, ['link_total_clicks'], {})).toMatchObject({ status: 401 });
  });

  it('is made and found by agents', async () => {
    const agent = await connectAgent(api, await newKey(api, owner, { scopes: ['read:data', 'write:data'] }));
    const made = await agent.call('create_tag', { name: 'By an agent', color: 'blue', confirm: true });
    const { id: tagId } = made['tag'] as { readonly id: string };
    const link = { name: 'Tagged', targetUrl: LINK.targetUrl, tagIds: [tagId], confirm: true };
    expect(await agent.call('create_link', link)).toMatchObject({ done: true, link: { tagIds: [tagId] } });
    await projector.catchUp();
    expect(await agent.call('list_links', { tagId })).toMatchObject({ links: [{ name: 'Tagged' }], total: 1 });
    expect(await agent.call('list_tags', { search: 'agent' })).toMatchObject({ tags: [{ id: tagId }], total: 1 });
    const period = { startDate: '2026-03-02', endDate: '2026-03-02' };
    expect(await agent.call('query', { tagId, parameters: ['link_total_clicks'], ...period })).toMatchObject({
      data: [{ data: [{ total: 0 }] }],
    });
    await agent.close();
  });
});

const LINK = { name: 'A link', targetUrl: 'https://example.com/spring' };

let api: TestApi;
let projector: DirectProjector;
let owner: Owner;
let headers: Owner['headers'];

const create = (path: '/v1/tags' | '/v1/links' | '/v1/links/bulk', body: object) =>
  ask(api, `POST ${path}`, { body: { organizationId: owner.organizationId, ...body }, headers });

const tagged = async (name: string): Promise<string> => String((await create('/v1/tags', { name })).body.id);

const overview = (body: object) =>
  ask(api, 'POST /v1/query/overview', {
    body: { about: 'link', parameters: ['link_total_clicks'], preset: 'last_7d', ...body },
    headers,
  });

const query = (target: string, parameters: readonly string[], as: Readonly<Record<string, string>> = headers) =>
  ask(api, `POST /v1/query?${target}`, {
    body: { parameters, startDate: '2026-03-02', endDate: '2026-03-02' },
    headers: as,
  });

async function names(filter: string): Promise<readonly string[]> {
  const { body } = await ask(api, `GET /v1/links?organizationId=${owner.organizationId}&${filter}`, { headers });
  return (body.data as { readonly name: string }[]).map(({ name }) => name);
}

beforeAll(async () => {
  api = await startTestApi();
  projector = await projectInto(api.settings.databaseUrl, []);
  owner = await ownerWithWebsite(api);
  ({ headers } = owner);
});

afterAll(async () => {
  await projector.close();
  await api.close();
});
