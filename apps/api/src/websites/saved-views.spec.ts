import { Registry } from '@ledgerline/domain/registry/registry';
import { ask } from '@test/api/ask';
import { readAuditLog } from '@test/api/audit-log';
import { colleague, newKey, ownerWithWebsite, type Owner, type Person } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { connectAgent } from '@test/mcp/agent';
import { placesOf, storedInTables } from '@test/privacy/stored-bytes';
import { OwnRecords } from '../commands/resource.commands';
import { Housekeeping } from '../operations/housekeeping';

const GERMAN = { field: 'country', op: 'eq', value: 'DE' };
const SECRET = { field: 'path', op: 'contains', value: '/unannounced-product' };
const EMPTY = { preset: null, startDate: null, endDate: null, compare: null, filters: [], segment: null, goal: null };

describe('a saved view of the organization', () => {
  it('is created, listed, changed part by part and deleted, by every member', async () => {
    const goal = await created('goals', { name: 'Any page', condition: { kind: 'page' } });
    const segment = await created('segments', { name: 'Germans', filters: [GERMAN] });
    const held = { preset: 'last_30d', compare: 'previous_year', filters: [GERMAN], segment, goal };
    const view = await save({ name: 'Campaign', ...held });
    expect(view).toMatchObject({
      status: 201,
      body: { ...EMPTY, ...held, name: 'Campaign', isPrivate: false, ownerId: null, websiteId: owner.websiteId },
    });
    const { id } = view.body;
    expect(id).toMatch(/^view_/);
    expect((await listed(colleagueOf)).find((each) => each.id === id)).toEqual(view.body);
    const days = { preset: null, startDate: '2026-11-01', endDate: '2026-11-30', goal: null };
    const changed = await change(id, days, colleagueOf);
    expect(changed.body).toMatchObject({ ...held, ...days, name: 'Campaign' });
    expect((await remove(id, colleagueOf)).status).toBe(204);
    expect((await listed()).some((each) => each.id === id)).toBe(false);
  });

  it('has one range, a name of its own, and what its website has', async () => {
    const { body } = await save({ name: 'Taken' });
    expect(await save({ name: 'Taken' })).toMatchObject({ status: 409, body: { details: [{ field: 'name' }] } });
    for (const [wrong, field] of [
      [{ preset: 'last_7d', startDate: '2026-11-01', endDate: '2026-11-02' }, 'startDate'],
      [{ startDate: '2026-11-01' }, 'startDate'],
      [{ endDate: '2026-02-30' }, 'endDate'],
      [{ preset: 'yesteryear' }, 'preset'],
      [{ compare: 'nothing' }, 'compare'],
      [{ filters: [{ ...GERMAN, field: 'shoe_size' }] }, 'filters[0].field'],
    ] as const)
      for (const isPrivate of [true, false])
        expect(await save({ name: 'Wrong', isPrivate, ...wrong })).toMatchObject({
          status: 400,
          body: { details: [{ field }] },
        });
    const elsewhere = await ownerWithWebsite(api);
    const foreign = await created('goals', { name: 'Foreign', condition: { kind: 'page' } }, elsewhere);
    expect(await save({ name: 'Wrong', goal: foreign })).toMatchObject({
      status: 404,
      body: { error: 'Goal not found' },
    });
    expect(await save({ name: 'Wrong', segment: 'seg_none' })).toMatchObject({ body: { error: 'Segment not found' } });
    expect(await change(body.id, { isPrivate: true })).toMatchObject({ status: 400 });
  });
});

describe('a private view', () => {
  const held = { name: 'Quiet launch', isPrivate: true, preset: 'last_90d', filters: [SECRET], compare: 'none' };

  it('shows what it holds to its person, and to others that it exists', async () => {
    const { body } = await save(held, colleagueOf);
    expect(body).toMatchObject({ ...EMPTY, ...held, ownerId: colleagueOf.id });
    const hidden = { id: body.id, ...EMPTY, name: null, isPrivate: true, ownerId: colleagueOf.id };
    expect((await listed()).find(({ id }) => id === body.id)).toMatchObject(hidden);
    expect((await ask(api, `GET /v1/saved-views/${String(body.id)}`, owner)).body).toMatchObject(hidden);
    for (const refused of [await change(body.id, { name: 'Mine' }), await remove(body.id)])
      expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect((await change(body.id, { compare: null }, colleagueOf)).body).toMatchObject({ ...held, compare: null });
    const same = await change(body.id, { name: held.name }, colleagueOf);
    expect(await change(body.id, { filters: [SECRET] }, colleagueOf)).toMatchObject({
      body: { revision: same.body.revision },
    });
    expect((await remove(body.id, colleagueOf)).status).toBe(204);
  });

  it('shares its name with none of its person, and with any of others', async () => {
    const first = await save(held, colleagueOf);
    expect(await save(held, colleagueOf)).toMatchObject({ status: 409, body: { error: 'This name is taken' } });
    const others = [await save(held), await save({ ...held, isPrivate: false })];
    expect(others.map(({ status }) => status)).toEqual([201, 201]);
    for (const { body } of others) await remove(body.id);
    await remove(first.body.id, colleagueOf);
  });

  it('is of no key, which no person is', async () => {
    const headers = { 'x-api-key': await newKey(api, owner, { scopes: ['read:data', 'write:data'] }) };
    expect(await save(held, { headers })).toMatchObject({ status: 403, body: { details: [{ needs: 'person' }] } });
  });

  it('is in the audit log, without what it holds', async () => {
    const { body } = await save(held, colleagueOf);
    await change(body.id, { name: 'Still quiet' }, colleagueOf);
    await remove(body.id, colleagueOf);
    const entries = (await readAuditLog(api, owner)).filter(({ target }) => target.id === body.id);
    expect(entries.map(({ action, changes }) => [action, changes])).toEqual([
      ['saved_view.deleted', expect.objectContaining({ sealed: { before: 'encrypted', after: null } })],
      ['saved_view.updated', { sealed: { before: 'encrypted', after: 'encrypted' } }],
      ['saved_view.created', expect.objectContaining({ sealed: { before: null, after: 'encrypted' } })],
    ]);
    expect(JSON.stringify(entries)).not.toMatch(/quiet|unannounced/i);
  });

  it('is stored encrypted', async () => {
    const path = { ...SECRET, value: '/only-in-a-private-view' };
    const { body } = await save({ ...held, name: 'Made private', filters: [path] }, colleagueOf);
    await change(body.id, { compare: null }, colleagueOf);
    const stored = await storedInTables(api.settings.databaseUrl);
    expect(placesOf(stored, ['only-in-a-private-view', 'Made private'])).toEqual([]);
    await remove(body.id, colleagueOf);
  });

  it.each(['leaves', 'is removed', 'deletes the account', 'is erased'] as const)(
    'is deleted when its person %s',
    async (how) => {
      const person = await colleague(api, owner, 'member');
      const { body } = await save(held, person);
      const kept = await save({ name: `Kept of who ${how}` }, person);
      expect((await departures[how](person)).status).toBeLessThan(300);
      const views = await listed();
      expect(views.some(({ id }) => id === body.id)).toBe(false);
      expect(views.some(({ id }) => id === kept.body.id)).toBe(true);
      expect(api.app.get(Registry).find('savedViews', String(body.id))).toBeUndefined();
      const [entry] = (await readAuditLog(api, owner)).filter(({ target }) => target.id === body.id);
      expect(entry?.action).toBe('saved_view.deleted');
    },
  );
});

describe('a private view of who has left', () => {
  it('is deleted later where that was interrupted, and no view of others', async () => {
    const person = await colleague(api, owner, 'member');
    const held = { name: 'Draft', isPrivate: true, preset: 'last_7d' };
    const left = await save(held, person);
    const kept = await save(held);
    const interrupted = jest.spyOn(api.app.get(OwnRecords), 'deleteOf').mockRejectedValueOnce(new Error('interrupted'));
    expect((await departures.leaves(person)).status).toBe(500);
    interrupted.mockRestore();
    const isThere = (id: unknown) => api.app.get(Registry).find('savedViews', String(id)) !== undefined;
    expect(isThere(left.body.id)).toBe(true);
    await api.app.get(Housekeeping).sweep();
    expect([isThere(left.body.id), isThere(kept.body.id)]).toEqual([false, true]);
    const [entry] = (await readAuditLog(api, owner)).filter(({ target }) => target.id === left.body.id);
    expect(entry).toMatchObject({ action: 'saved_view.deleted', actor: { type: 'system' } });
    await remove(kept.body.id);
  });
});

describe('an agent', () => {
  it('saves, finds and deletes views, and sees no content of private ones', async () => {
    const { body } = await save({ name: 'Hidden', isPrivate: true });
    const agent = await connectAgent(api, await newKey(api, owner, { scopes: ['read:data', 'write:data'] }));
    const { websiteId } = owner;
    const wanted = { websiteId, name: 'By an agent', preset: 'last_7d' };
    expect(await agent.call('create_saved_view', wanted)).toMatchObject({ done: false, savedView: null });
    const made = await agent.call('create_saved_view', { ...wanted, confirm: true });
    expect(made).toMatchObject({ done: true, savedView: { ...EMPTY, ...wanted } });
    const { id: savedViewId } = made['savedView'] as { readonly id: string };
    const found = await agent.call('list_saved_views', { search: 'agent' });
    expect(found).toMatchObject({ savedViews: [{ id: savedViewId }], total: 1 });
    expect((await agent.call('list_saved_views', { websiteId }))['savedViews']).toContainEqual(
      expect.objectContaining({ id: body.id, name: null, preset: null }),
    );
    expect(await agent.refused('delete_saved_view', { savedViewId: body.id })).toMatchObject({ code: 'FORBIDDEN' });
    const cleared = await agent.call('update_saved_view', { savedViewId, preset: null, confirm: true });
    expect(cleared).toMatchObject({ changes: { preset: { before: 'last_7d', after: null } } });
    expect(await agent.call('delete_saved_view', { savedViewId, confirm: true })).toMatchObject({ done: true });
    expect((await agent.refused('delete_saved_view', { savedViewId })).hint).toContain('list_saved_views');
    await agent.close();
    await remove(body.id);
  });
});

interface Sender {
  readonly headers: Readonly<Record<string, string>>;
}

const of = () => ({ organizationId: owner.organizationId, websiteId: owner.websiteId });

const save = (body: object, { headers }: Sender = owner) =>
  ask(api, 'POST /v1/saved-views', { body: { ...of(), ...body }, headers });

const change = (id: unknown, body: object, { headers }: Sender = owner) =>
  ask(api, `PATCH /v1/saved-views/${String(id)}`, { body, headers });

const remove = (id: unknown, { headers }: Sender = owner) =>
  ask(api, `DELETE /v1/saved-views/${String(id)}`, { headers });

async function listed({ headers }: Sender = owner) {
  const { organizationId, websiteId } = owner;
  const { body } = await ask(api, `GET /v1/saved-views?organizationId=${organizationId}&websiteId=${websiteId}`, {
    headers,
  });
  return body.data as readonly Readonly<Record<string, unknown>>[];
}

async function created(kind: 'goals' | 'segments', body: object, by: Owner = owner): Promise<string> {
  const { organizationId, websiteId, headers } = by;
  const answer = await ask(api, `POST /v1/${kind}`, { body: { organizationId, websiteId, ...body }, headers });
  return String(answer.body.id);
}

const memberPath = ({ id }: Person) => `/v1/organizations/${owner.organizationId}/members/${id}` as const;

const departures = {
  leaves: (person: Person) => ask(api, `DELETE ${memberPath(person)}`, person),
  'is removed': (person: Person) => ask(api, `DELETE ${memberPath(person)}`, owner),
  'deletes the account': ({ headers }: Person) =>
    ask(api, 'POST /v1/auth/delete-user', { body: { currentPassword: 'correct horse battery' }, headers }),
  'is erased': ({ id }: Person) =>
    ask(api, 'POST /v1/erasures', {
      body: { organizationId: owner.organizationId, subject: { userId: id } },
      headers: owner.headers,
    }),
};

let api: TestApi;
let owner: Owner;
let colleagueOf: Person;

beforeAll(async () => {
  api = await startTestApi({ LIMIT_FAILED_AUTH_PER_MINUTE: '10000' });
  owner = await ownerWithWebsite(api);
  colleagueOf = await colleague(api, owner, 'member');
});

afterAll(() => api.close());
