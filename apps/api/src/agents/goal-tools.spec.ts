import { ask } from '@test/api/ask';
import { readAuditLog } from '@test/api/audit-log';
import { newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { connectAgent, type Agent } from '@test/mcp/agent';

const SIGNUP = { kind: 'event', filters: [{ field: 'name', op: 'eq', value: 'signup' }] };

describe('tools of goals, funnels and annotations', () => {
  it('only show what they would do until they are confirmed', async () => {
    const before = (await auditEntries()).length;
    expect(await agent.call('create_goal', goal('Preview'))).toMatchObject({
      done: false,
      goal: null,
      changes: { name: { before: null, after: 'Preview' }, condition: { before: null, after: SIGNUP } },
      note: expect.stringContaining('confirm: true') as string,
    });
    expect(await agent.call('create_funnel', funnel('Preview'))).toMatchObject({ done: false, funnel: null });
    expect(await agent.call('create_annotation', note)).toMatchObject({ done: false, annotation: null });
    expect((await auditEntries()).length).toBe(before);
    const { id, revision } = await createdGoal('Kept');
    expect(await agent.call('update_goal', { goalId: id, name: 'New', condition: SIGNUP })).toMatchObject({
      done: false,
      goal: { id, name: 'Kept', revision },
      changes: { name: { before: 'Kept', after: 'New' } },
    });
    const same = await agent.call('update_goal', { goalId: id, condition: SIGNUP });
    expect(same).toMatchObject({ changes: {}, note: 'Nothing would change: the goal has these values already.' });
    const deletion = await agent.call('delete_goal', { goalId: id });
    expect(deletion).toMatchObject({ done: false, goal: { id } });
    expect(deletion.note).toContain('The goal "Kept" would be deleted.');
    expect((await auditEntries()).length).toBe(before + 1);
  });

  it('refuse in the preview what they would refuse', async () => {
    const first = await createdGoal('Taken');
    const second = await createdGoal('Second');
    const taken = { code: 'CONFLICT', message: 'This name is taken', details: [{ field: 'name' }] };
    expect(await agent.refused('create_goal', goal('Taken'))).toMatchObject(taken);
    expect(await agent.refused('update_goal', { goalId: second.id, name: 'Taken' })).toMatchObject(taken);
    await agent.call('update_goal', { goalId: first.id, name: 'Former', confirm: true });
    for (const tool of ['update_goal', 'delete_goal'])
      expect(await agent.refused(tool, { goalId: first.id, revision: first.revision })).toMatchObject({
        code: 'CONFLICT',
      });
    const both = { ...note, from: note.at };
    expect(await agent.refused('create_annotation', both)).toMatchObject({ details: [{ field: 'at' }] });
    const elsewhere = { ...goal('A'), websiteId: (await ownerWithWebsite(api)).websiteId };
    for (const confirm of [false, true])
      expect(await agent.refused('create_goal', { ...elsewhere, confirm })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('create, change and delete like REST, and are entries of the audit log', async () => {
    const { id } = await createdGoal('Walk');
    const { body } = await ask(api, `GET /v1/goals/${id}`, owner);
    const value = { property: 'total', currency: 'EUR' };
    const changed = await agent.call('update_goal', { goalId: id, value, confirm: true });
    expect(changed).toMatchObject({
      done: true,
      goal: { ...body, value, ...CHANGED },
    });
    const cleared = await agent.call('update_goal', { goalId: id, value: null, confirm: true });
    expect(cleared).toMatchObject({ done: true, changes: { value: { before: value, after: null } } });
    expect(await agent.call('delete_goal', { goalId: id, confirm: true })).toMatchObject({ done: true });
    const entries = (await auditEntries()).filter(({ target }) => target.id === id);
    expect(entries.map(({ action }) => action)).toEqual([
      'goal.deleted',
      'goal.updated',
      'goal.updated',
      'goal.created',
    ]);
    for (const { actor } of entries) expect(actor).toMatchObject({ type: 'api_key', name: 'A key' });
  });

  it('create one for one idempotency key', async () => {
    const wanted = { ...funnel('Once'), idempotencyKey: 'funnel-7', confirm: true };
    const first = await agent.call('create_funnel', wanted);
    const again = await agent.call('create_funnel', wanted);
    expect(again).toMatchObject({ done: true, funnel: first.funnel });
    expect(again.note).toContain('had created the funnel before');
  });

  it('list what there is, by website and name', async () => {
    await agent.call('create_funnel', { ...funnel('Listed'), confirm: true });
    await agent.call('create_annotation', { ...note, text: 'Listed deploy', kind: 'deploy', confirm: true });
    const body = {
      organizationId: owner.organizationId,
      name: 'Listed everywhere',
      did: [{ condition: SIGNUP, within: 'session' }],
    };
    await ask(api, 'POST /v1/segments', { body, headers: owner.headers });
    await createdGoal('Listed');
    const search = { search: 'LISTED' };
    for (const [tool, of, found] of [
      ['list_goals', 'goals', { name: 'Listed', condition: SIGNUP }],
      ['list_funnels', 'funnels', { name: 'Listed' }],
      ['list_segments', 'segments', { name: 'Listed everywhere', websiteId: null }],
      ['list_annotations', 'annotations', { text: 'Listed deploy', kind: 'deploy' }],
    ] as const)
      expect(await agent.call(tool, search)).toMatchObject({ [of]: [found], total: 1, truncated: false });
    const ofWebsite = { ...search, websiteId: owner.websiteId };
    expect(await agent.call('list_annotations', ofWebsite)).toMatchObject({
      annotations: [{ subject: null, until: null }],
      note: expect.stringContaining('not filled yet') as string,
    });
    for (const [wrong, field] of [
      [{ linkId: 'link_1', websiteId: owner.websiteId }, 'linkId'],
      [{ startDate: '2026-11-27' }, 'endDate'],
      [{ timezone: 'Mars/North' }, 'timezone'],
      [{ preset: 'yesteryear' }, 'preset'],
    ] as const)
      expect(await agent.refused('list_annotations', wrong)).toMatchObject({ details: [{ field }] });
    const day = { ...search, startDate: '2026-11-27', endDate: '2026-11-27' };
    expect(await agent.call('list_annotations', day)).toMatchObject({ total: 1 });
    const another = { ...day, startDate: '2026-11-26', endDate: '2026-11-26' };
    expect(await agent.call('list_annotations', another)).toMatchObject({ annotations: [], total: 0 });
    expect(await agent.call('list_segments', ofWebsite)).toMatchObject({ segments: [], total: 0 });
  });
});

describe('funnels and segments', () => {
  it('are changed and deleted like goals, after a preview', async () => {
    const { id } = (await agent.call('create_funnel', { ...funnel('Way'), window: '7d', confirm: true })).funnel as {
      id: string;
    };
    const wanted = { funnelId: id, name: 'Road', window: null };
    const changes = { name: { before: 'Way', after: 'Road' }, window: { before: '7d', after: null } };
    expect(await agent.call('update_funnel', wanted)).toMatchObject({ done: false, funnel: { name: 'Way' }, changes });
    expect(await agent.call('update_funnel', { ...wanted, confirm: true })).toMatchObject({ done: true, changes });
    expect(await agent.call('delete_funnel', { funnelId: id, confirm: true })).toMatchObject({ done: true });
    expect(await agent.call('list_funnels', { search: 'Road' })).toMatchObject({ total: 0 });

    const did = [{ condition: SIGNUP, within: 'session' }];
    const preview = await agent.call('create_segment', { name: 'Joined', did });
    expect(preview).toMatchObject({ done: false, changes: { name: { before: null, after: 'Joined' } } });
    const created = await agent.call('create_segment', { name: 'Joined', did, websiteId: null, confirm: true });
    const { segment } = created as { segment: { id: string; revision: number } };
    expect(segment).toMatchObject({ name: 'Joined', websiteId: null, did, filters: [] });
    const renamed = { segmentId: segment.id, name: 'Members', filters: null, revision: segment.revision };
    expect(await agent.call('update_segment', { ...renamed, confirm: true })).toMatchObject({
      done: true,
      segment: { name: 'Members', did },
      changes: { name: { before: 'Joined', after: 'Members' } },
    });
    expect(await agent.refused('delete_segment', { segmentId: segment.id, revision: segment.revision })).toMatchObject({
      code: 'CONFLICT',
      hint: 'Read the segment again with list_segments, decide anew, and call again.',
    });
    expect(await agent.call('delete_segment', { segmentId: segment.id, confirm: true })).toMatchObject({ done: true });
  });
});

const goal = (name: string) => ({ websiteId: owner.websiteId, name, condition: SIGNUP });
const funnel = (name: string) => ({
  ...goal(name),
  condition: undefined,
  steps: [{ condition: SIGNUP }, { condition: SIGNUP }],
});
const note = { text: 'New prices', at: '2026-11-27T12:00:00.000Z' };

const createdGoal = async (name: string) =>
  (await agent.call('create_goal', { ...goal(name), confirm: true })).goal as { id: string; revision: number };

const auditEntries = () => readAuditLog(api, owner);

const CHANGED = { updatedAt: expect.any(String) as string, revision: expect.any(Number) as number };

let api: TestApi;
let owner: Owner;
let agent: Agent;

beforeAll(async () => {
  api = await startTestApi();
  owner = await ownerWithWebsite(api);
  agent = await connectAgent(api, await newKey(api, owner, { scopes: ['read:data', 'write:data'] }));
});

afterAll(async () => {
  await agent.close();
  await api.close();
});
