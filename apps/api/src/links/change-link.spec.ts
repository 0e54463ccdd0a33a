import { linkOf } from '@ledgerline/domain/registry/record-changes';
import { type EventStore, decidedIn } from '@ledgerline/platform/event-store/event-store';
import { ask, type Answer } from '@test/api/ask';
import { newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { EVENT_STORE } from '../tokens';

describe('a link', () => {
  it('is changed by what is sent, and keeps the rest', async () => {
    const link = await created({ name: 'Old', externalId: 'partner', iosUrl: 'https://apps.example.com/' });
    const changes = { name: 'New', targetUrl: 'https://example.org/', externalId: null, ogTitle: 'Title' };
    const { status, body, headers } = await patch(link, changes);
    expect([status, headers['x-log-position']]).toEqual([200, expect.stringMatching(/^e:\d+$/)]);
    expect(body).toEqual({ ...link.body, ...changes, updatedAt: body.updatedAt, revision: 1 });
    expect((await read(link)).body).toEqual(body);
    const [, event] = await eventsOf(link);
    expect(event).toMatchObject({
      type: 'LinkUpdated',
      data: { before: { name: 'Old', targetUrl: TARGET, externalId: 'partner', ogTitle: null } },
      metadata: { actor: owner.id, commandType: 'UpdateLink' },
    });
  });

  it('is left alone by a change to what it is', async () => {
    const link = await created({ name: 'Same' });
    const { organizationId } = owner;
    const { status, body } = await patch(link, { organizationId, name: 'Same', slug: link.body.slug, ogTitle: null });
    expect([status, body]).toEqual([200, link.body]);
    expect(await eventsOf(link)).toHaveLength(1);
  });

  it('takes a new slug, keeps its former one from others, and may go back to it', async () => {
    const link = await created({ slug: 'first-name' });
    const other = await created({ slug: 'others' });
    expect((await patch(link, { slug: 'second-name' })).body).toMatchObject({
      slug: 'second-name',
      shortUrl: 'http://localhost:3001/second-name',
    });
    for (const slug of ['first-name', 'second-name']) {
      const refused = await patch(other, { slug });
      expect([refused.status, refused.body]).toEqual([
        409,
        expect.objectContaining({ code: 'CONFLICT', details: [expect.objectContaining({ field: 'slug' })] }),
      ]);
      expect((await create({ slug })).status).toBe(409);
    }
    expect((await patch(link, { slug: 'first-name' })).body).toMatchObject({ slug: 'first-name', revision: 2 });
  });

  it('is changed only from the revision that If-Match names, and reserves no slug otherwise', async () => {
    const link = await created({ name: 'First' });
    expect((await patch(link, { name: 'Second' }, { 'if-match': '"0"' })).body).toMatchObject({ revision: 1 });
    const refused = await patch(link, { name: 'Third', slug: 'never-reserved' }, { 'if-match': '0' });
    expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
    expect((await create({ slug: 'never-reserved' })).status).toBe(201);
    expect((await patch(link, { slug: 'now-reserved' }, { 'if-match': '1' })).body).toMatchObject({ revision: 2 });
    expect((await remove(link, { 'if-match': '1' })).status).toBe(409);
    expect((await remove(link, { 'if-match': '2' })).status).toBe(204);
  });

  it('is read and changed in constant time, however often it was changed', async () => {
    const link = await created({ name: 'n0' });
    for (let n = 1; n < 4; n++) await patch(link, { name: `n${n}` });
    const { name, revision, createdAt } = linkOf(decidedIn(await eventsOf(link)))!;
    expect((await read(link)).body).toMatchObject({ name, revision, createdAt: createdAt.toISOString() });
  });

  it('names every wrong field of a change', async () => {
    const link = await created({});
    const wrong = { name: null, slug: 'a b', targetUrl: 'javascript:x', expiresAt: '2020-01-01T00:00:00Z', colour: 1 };
    const { status, body } = await patch(link, wrong);
    expect(status).toBe(400);
    const fields = (body.details as { field: string }[]).map(({ field }) => field);
    expect(new Set(fields)).toEqual(new Set(['name', 'slug', 'targetUrl', 'expiresAt', 'colour']));
    for (const nothing of [{ slug: null }, { targetUrl: null }, { slug: 'health' }])
      expect((await patch(link, nothing)).status).toBe(400);
    const elsewhere = await patch(link, { organizationId: 'org_other' });
    expect(elsewhere.body).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'organizationId' }] });
  });

  it('is gone once it is deleted, and its slug stays taken', async () => {
    const link = await created({ slug: 'deleted-slug' });
    const { status, text, headers } = await remove(link);
    expect([status, text, headers['x-log-position']]).toEqual([204, '', expect.stringMatching(/^e:\d+$/)]);
    for (const answer of [await read(link), await patch(link, { name: 'x' }), await remove(link)])
      expect([answer.status, answer.body.error]).toEqual([404, 'Link not found']);
    expect((await create({ slug: 'deleted-slug' })).status).toBe(409);
    expect((await eventsOf(link)).at(-1)).toMatchObject({ type: 'LinkDeleted', metadata: { actor: owner.id } });
  });

  it('is not found under what is no id, nor by strangers', async () => {
    const link = await created({});
    const stranger = await ownerWithWebsite(api);
    for (const id of ['link_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E', 'x', '%01', 'a-b', 'ä'.repeat(70)])
      expect((await ask(api, `GET /v1/links/${encodeURI(id)}`, owner)).status).toBe(404);
    expect((await ask(api, `DELETE /v1/links/${idOf(link)}`, stranger)).status).toBe(404);
    const headers = { 'x-api-key': await newKey(api, owner, { scopes: ['write:data'] }) };
    const body = { name: 'By a key' };
    expect((await ask(api, `PATCH /v1/links/${idOf(link)}`, { body, headers })).body).toMatchObject(body);
  });
});

const TARGET = 'https://example.com/';

let api: TestApi;
let owner: Owner;

const create = (details: object) =>
  ask(api, 'POST /v1/links', {
    body: { organizationId: owner.organizationId, name: 'A link', targetUrl: TARGET, ...details },
    headers: owner.headers,
  });

async function created(details: object): Promise<Answer> {
  const answer = await create(details);
  expect(answer.status).toBe(201);
  return answer;
}

const idOf = ({ body }: Answer) => body.id as string;
const read = (link: Answer) => ask(api, `GET /v1/links/${idOf(link)}`, owner);

const patch = (link: Answer, body: object, headers: Record<string, string> = {}) =>
  ask(api, `PATCH /v1/links/${idOf(link)}`, { body, headers: { ...owner.headers, ...headers } });

const remove = (link: Answer, headers: Record<string, string> = {}) =>
  ask(api, `DELETE /v1/links/${idOf(link)}`, { headers: { ...owner.headers, ...headers } });

const eventsOf = (link: Answer) =>
  api.app.get<EventStore>(EVENT_STORE).readStream(`${owner.organizationId}-link-${idOf(link)}`);

beforeAll(async () => {
  api = await startTestApi({ LIMIT_API_PER_MINUTE: '10000' });
  owner = await ownerWithWebsite(api);
});

afterAll(() => api.close());
