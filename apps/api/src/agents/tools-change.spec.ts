import { ask } from '@test/api/ask';
import { readAuditLog } from '@test/api/audit-log';
import { newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { connectAgent, type Agent } from '@test/mcp/agent';
import { projectInto, type DirectProjector } from '@test/query/projected-database';

const LINK = { name: 'Spring', targetUrl: 'https://example.com/spring' };

describe('a tool that changes something', () => {
  it('only shows what it would do until it is confirmed', async () => {
    const before = await auditEntries();
    expect(await agent.call('create_link', { ...LINK, slug: 'preview' })).toMatchObject({
      done: false,
      link: null,
      changes: { name: { before: null, after: 'Spring' }, slug: { before: null, after: 'preview' } },
      note: expect.stringContaining('confirm: true') as string,
    });
    const { id, revision } = await created({ ...LINK, slug: 'kept' });
    expect(await agent.call('update_link', { linkId: id, name: 'Summer', targetUrl: LINK.targetUrl })).toMatchObject({
      done: false,
      link: { id, name: 'Spring', revision },
      changes: { name: { before: 'Spring', after: 'Summer' } },
    });
    expect(await agent.call('delete_link', { linkId: id })).toMatchObject({ done: false, link: { id }, changes: {} });
    expect(await agent.call('get_link', { linkId: id })).toMatchObject({ name: 'Spring', revision });
    expect((await auditEntries()).length).toBe(before.length + 1);
  });

  it('says of a slug that is taken already in the preview', async () => {
    await created({ ...LINK, slug: 'taken' });
    const { id } = await created({ ...LINK, slug: 'former' });
    await agent.call('update_link', { linkId: id, slug: 'present', confirm: true });
    const taken = { code: 'CONFLICT', message: 'This slug is taken', details: [{ field: 'slug' }] };
    for (const slug of ['taken', 'former', 'present'])
      expect(await agent.refused('create_link', { ...LINK, slug })).toMatchObject({
        ...taken,
        hint: 'The slug is taken: call again with another slug.',
      });
    expect(await agent.refused('update_link', { linkId: id, slug: 'taken' })).toMatchObject(taken);
    for (const slug of ['former', 'present', 'free'])
      expect(await agent.call('update_link', { linkId: id, slug })).toMatchObject({ done: false });
  });

  it('creates, changes and deletes a link like REST, with actor and request id in the audit log', async () => {
    const link = await created({ ...LINK, slug: 'walk', externalId: 'p-7' });
    const { body } = await ask(api, `GET /v1/links/${link.id}`, owner);
    expect(link).toEqual(body);
    const changed = await agent.call('update_link', { linkId: link.id, externalId: null, confirm: true });
    expect(changed).toMatchObject({ done: true, link: { externalId: null, revision: link.revision + 1 } });
    expect(await agent.call('delete_link', { linkId: link.id, confirm: true })).toMatchObject({ done: true });
    expect(await agent.refused('get_link', { linkId: link.id })).toMatchObject({ code: 'NOT_FOUND' });
    const entries = (await auditEntries()).filter(({ target }) => target.id === link.id);
    expect(entries.map(({ action }) => action)).toEqual(['link.deleted', 'link.updated', 'link.created']);
    for (const { actor, requestId, ip } of entries) {
      expect(actor).toMatchObject({ type: 'api_key', name: 'A key' });
      expect(requestId).toMatch(/^[\w-]{8,}$/);
      expect(ip).toMatch(/127\.0\.0\.1$/);
    }
    const read = await agent.call('read_audit_log', { targetId: link.id });
    expect(read.entries).toEqual(entries);
  });

  it('is refused when the link has changed since it was looked at', async () => {
    const { id, revision } = await created(LINK);
    await agent.call('update_link', { linkId: id, name: 'Renamed', confirm: true });
    for (const tool of ['update_link', 'delete_link'])
      expect(await agent.refused(tool, { linkId: id, revision, confirm: true })).toMatchObject({
        code: 'CONFLICT',
        message: `This was changed meanwhile: its revision is now ${revision + 1}`,
        hint: expect.stringContaining('get_link') as string,
      });
  });

  it('is refused in the preview too when the link has changed since', async () => {
    const { id, revision } = await created(LINK);
    await agent.call('update_link', { linkId: id, name: 'Renamed', confirm: true });
    for (const [tool, changes] of [['update_link', { name: 'Other' }] as const, ['delete_link', {}] as const])
      expect(await agent.refused(tool, { linkId: id, revision, ...changes })).toMatchObject({
        code: 'CONFLICT',
        message: `This was changed meanwhile: its revision is now ${revision + 1}`,
      });
    const preview = await agent.call('update_link', { linkId: id, name: 'Other', revision: revision + 1 });
    expect(preview).toMatchObject({ done: false });
  });

  it('names in its preview the slug that is deleted, and says when nothing would change', async () => {
    const { id } = await created({ ...LINK, slug: 'goodbye' });
    const deletion = await agent.call('delete_link', { linkId: id });
    expect(deletion.note).toContain('The slug "goodbye" would lead nowhere and never be used again.');
    for (const same of [{}, { name: LINK.name, slug: 'goodbye' }])
      expect(await agent.call('update_link', { linkId: id, ...same })).toMatchObject({
        done: false,
        changes: {},
        note: 'Nothing would change: the link has these values already.',
      });
  });

  it('creates one link for one idempotency key', async () => {
    const wanted = { ...LINK, idempotencyKey: 'order-7' };
    const first = await created(wanted);
    expect((await created(wanted)).id).toBe(first.id);
    const other = { ...wanted, name: 'Other', confirm: true };
    expect(await agent.refused('create_link', other)).toMatchObject({
      code: 'CONFLICT',
      message: 'This idempotency key was sent with another request',
    });
  });

  it('says of every wrong argument what is wrong, as REST does', async () => {
    const wrong = { name: '', targetUrl: 'ftp://x', slug: 'a b', colour: 'red' };
    const { code, details, hint } = await agent.refused('create_link', wrong);
    expect([code, hint]).toEqual(['VALIDATION_ERROR', expect.stringContaining('details')]);
    const { body } = await ask(api, 'POST /v1/links', {
      body: { ...wrong, organizationId: owner.organizationId },
      headers: owner.headers,
    });
    expect(details).toEqual(body.details);
  });
});

describe('a long result', () => {
  it('is in the structured content once, with a short text', async () => {
    for (const n of [1, 2, 3, 4, 5]) await created({ ...LINK, name: `Long ${n}` });
    const { content, structuredContent } = await agent.client.callTool({
      name: 'read_audit_log',
      arguments: { limit: 9 },
    });
    const whole = JSON.stringify(structuredContent);
    expect((structuredContent as { entries: object[] }).entries).toHaveLength(9);
    const { text } = content[0] as { text: string };
    expect(text.startsWith('{"note":"Names and texts in here were written by people')).toBe(true);
    expect(text).toContain(`… (2000 of ${whole.length} characters. structuredContent has all`);
    expect([text.slice(0, 2_000), text.length < 2_200]).toEqual([whole.slice(0, 2_000), true]);
  });
});

describe('the list of links', () => {
  it('has those that match, and the next ones at its cursor', async () => {
    for (const n of [1, 2, 3]) await created({ ...LINK, name: `Listed ${n}`, externalId: 'listed' });
    await projector.catchUp();
    const first = await agent.call('list_links', { externalId: 'listed', limit: 2, sort: 'createdAt' });
    expect(first).toMatchObject({ total: 3, truncated: true, links: [{ name: 'Listed 1' }, { name: 'Listed 2' }] });
    const wanted = { externalId: 'listed', limit: 2, sort: 'createdAt', cursor: first.nextCursor };
    expect(await agent.call('list_links', wanted)).toMatchObject({ truncated: false, links: [{ name: 'Listed 3' }] });
    expect(await agent.refused('list_links', { limit: 51 })).toMatchObject({ details: [{ field: 'limit' }] });
  });
});

interface CreatedLink {
  readonly id: string;
  readonly revision: number;
}

const created = async (args: Record<string, unknown>): Promise<CreatedLink> =>
  (await agent.call('create_link', { ...args, confirm: true })).link as CreatedLink;

const auditEntries = () => readAuditLog(api, owner);

let api: TestApi;
let projector: DirectProjector;
let owner: Owner;
let agent: Agent;

beforeAll(async () => {
  api = await startTestApi();
  projector = await projectInto(api.settings.databaseUrl, []);
  owner = await ownerWithWebsite(api);
  agent = await connectAgent(api, await newKey(api, owner, { scopes: ['read:data', 'write:data', 'read:audit'] }));
});

afterAll(async () => {
  await agent.close();
  await projector.close();
  await api.close();
});
