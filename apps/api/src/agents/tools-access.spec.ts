import type { Scope } from '@ledgerline/contracts/events/api-key.events';
import { created, newHouse, newKey, type House } from '@test/access/cast';
import { ask } from '@test/api/ask';
import { colleague, type Person } from '@test/api/people';
import type { TestApi } from '@test/api/test-api';
import { connectAgent, type Agent } from '@test/mcp/agent';
import { connectClient } from '@test/mcp/connect-client';
import {
  ALL,
  argsFor,
  AUDIT,
  type Definitions,
  EVERY,
  GOALS,
  type Grants,
  READS,
  READS_GOALS,
  READS_LINKS,
  READS_MONITORS,
  VISIBLE,
  WRITES_LINKS,
} from '@test/mcp/tools-of-keys';
import { startOAuthApi } from '@test/oauth/oauth-api';
import { Walk } from '@test/oauth/walk';
import { projectInto, type DirectProjector } from '@test/query/projected-database';

describe.each(VISIBLE)('a key with %s', (_, grants, visible) => {
  let agent: Agent;
  beforeAll(async () => void (agent = await connectAgent(api, await keyWith(ours, grants))));
  afterAll(() => agent.close());

  it('sees the tools that it may use, and no others', async () => {
    expect((await agent.toolNames()).sort()).toEqual([...visible].sort());
  });

  it('is answered by those, and refused by the others', async () => {
    for (const name of ALL) {
      const args = argsFor(ours, definitions)[name] ?? {};
      if (visible.includes(name)) await agent.call(name, args);
      else expect([name, await agent.refused(name, args)]).toMatchObject([name, FORBIDDEN]);
    }
  });
});

describe('a key', () => {
  it('of one website sees that one, and is refused all others and links', async () => {
    const agent = await connectAgent(api, await keyWith(ours, { scopes: ['read:data'], on: 'a website' }));
    expect(await agent.call('list_websites')).toMatchObject({ websites: [{ id: ours.websiteId }], total: 1 });
    const asked = { parameters: ['summary_metrics'] };
    await agent.call('query', { ...asked, websiteId: ours.websiteId });
    for (const websiteId of [ours.otherWebsiteId, theirs.websiteId, 'site_none'])
      expect(await agent.refused('query', { ...asked, websiteId })).toMatchObject(FORBIDDEN);
    const link = { parameters: ['link_total_clicks'], linkId: ours.linkId };
    expect(await agent.refused('query', link)).toMatchObject(FORBIDDEN);
    await agent.close();
  });

  it('of one website sees its flags, and of all flags those that REST lists', async () => {
    const { organizationId, websiteId, otherWebsiteId, headers } = ours;
    for (const [key, of] of Object.entries({ own: websiteId, other: otherWebsiteId, all: null }))
      await created(api, 'POST /v1/flags', { organizationId, websiteId: of, key, name: `Flag ${key}` }, headers);
    const one = await connectAgent(api, await keyWith(ours, { scopes: ['manage:flags'], on: 'a website' }));
    expect(await one.call('list_flags')).toMatchObject({ flags: [{ key: 'own', websiteId }], total: 1 });
    const agent = await connectAgent(api, await keyWith(ours, { scopes: ['manage:flags'] }));
    const { data } = (await ask(api, `GET /v1/flags?organizationId=${organizationId}`, { headers })).body;
    const whole = { total: 3, nextOffset: null, truncated: false };
    expect(await agent.call('list_flags')).toMatchObject({ flags: data, ...whole });
    expect(await agent.call('list_flags', { limit: 1, offset: 1 })).toMatchObject({
      flags: [{ key: 'other' }],
      total: 3,
      nextOffset: 2,
      truncated: true,
    });
    expect(await agent.call('list_flags', { search: 'flag ALL' })).toMatchObject({ flags: [{ key: 'all' }], total: 1 });
    expect(await agent.refused('list_flags', { offset: -1 })).toMatchObject({ details: [{ field: 'offset' }] });
    const foreign = await connectAgent(api, await keyWith(theirs, { scopes: ['manage:flags'] }));
    expect(await foreign.call('list_flags', { websiteId })).toMatchObject({ flags: [], total: 0 });
    for (const each of [one, agent, foreign]) await each.close();
  });

  it('finds nothing of another organization, as if there were nothing', async () => {
    const scopes: Scope[] = ['read:data', 'write:data', 'read:audit'];
    const agent = await connectAgent(api, await keyWith(theirs, { scopes }));
    for (const linkId of [ours.linkId, 'link_none']) {
      for (const tool of ['get_link', 'update_link', 'delete_link'])
        expect([tool, await agent.refused(tool, { linkId, confirm: tool !== 'get_link' || undefined })]).toMatchObject([
          tool,
          { code: 'NOT_FOUND', message: 'Link not found', hint: expect.stringContaining('list_links') as string },
        ]);
      const asked = { parameters: ['link_total_clicks'], linkId };
      expect(await agent.refused('query', asked)).toMatchObject(FORBIDDEN);
    }
    const { entries } = await agent.call('read_audit_log', { limit: 50 });
    expect(JSON.stringify(entries)).not.toContain(ours.organizationId);
    expect(await agent.call('verify_audit_log')).toMatchObject({ organizationId: theirs.organizationId, valid: true });
    await agent.close();
  });

  it('that is revoked is refused at the next message', async () => {
    const { id, secret } = await newKey(api, ours, { scopes: ['read:data'] });
    const agent = await connectAgent(api, secret, 'legacy');
    await agent.call('list_websites');
    await ask(api, `POST /v1/api-keys/${id}/revoke`, { headers: ours.headers });
    await expect(agent.call('list_websites')).rejects.toThrow('Authentication required');
    await agent.close();
  });
});

describe('a client that a person lets act for them', () => {
  it('sees the tools that both its grant and the role of the person allow, and acts in their name', async () => {
    const admin = await colleague(api, ours, 'admin');
    const agent = await clientOf(admin, EVERY);
    expect(await agent.toolNames()).toEqual([...ALL, 'test_destination', 'list_reports']);
    const link = { name: 'Of a client', targetUrl: 'https://example.com/', confirm: true };
    const { id } = (await agent.call('create_link', link)).link as { id: string };
    expect(await agent.call('read_audit_log', { targetId: id })).toMatchObject({
      entries: [{ action: 'link.created', actor: { type: 'user', id: admin.id, name: 'Ada' } }],
    });
    const member = `/v1/organizations/${ours.organizationId}/members/${admin.id}`;
    await ask(api, `PATCH ${member}`, { headers: ours.headers, body: { role: 'member' } });
    expect(await agent.toolNames()).toEqual(ALL.filter((name) => !AUDIT.includes(name)));
    for (const name of AUDIT) expect(await agent.refused(name)).toMatchObject(FORBIDDEN);
    await agent.call('list_links');
    await agent.close();
  });

  it('sees no more than it was granted', async () => {
    const agent = await clientOf(ours, ['read:data']);
    const monitors = [...READS_MONITORS, 'list_reports'];
    expect(await agent.toolNames()).toEqual([...READS, ...READS_LINKS, ...READS_GOALS, 'list_tags', ...monitors]);
    expect(await agent.refused('delete_link', { linkId: ours.linkId, confirm: true })).toMatchObject(FORBIDDEN);
    await agent.close();
  });

  it('sees the websites that it was granted, and no links', async () => {
    const chosen = [`websites_${ours.organizationId}`, 'some'] as const;
    const walk = new Walk(host, ours);
    const { access_token } = await walk.tokens([chosen, ['websiteId', ours.otherWebsiteId], ['scope', 'read:data']]);
    const agent = await connectAgent(api, access_token);
    expect(await agent.toolNames()).toEqual([...READS, ...READS_GOALS]);
    expect(await agent.call('list_websites')).toMatchObject({ websites: [{ id: ours.otherWebsiteId }], total: 1 });
    const asked = { websiteId: ours.websiteId, parameters: ['summary_metrics'] };
    expect(await agent.refused('query', asked)).toMatchObject(FORBIDDEN);
    await agent.close();
  });
});

describe('a client of some websites with every scope', () => {
  it('reads these and their flags, and has no links and no audit log, as the consent page says', async () => {
    const scopes = ['read:data', 'write:data', 'manage:flags', 'read:audit'];
    const choice = [[`websites_${ours.organizationId}`, 'some'] as const, ['websiteId', ours.websiteId] as const];
    const walk = new Walk(host, ours);
    const asked = { scope: scopes.join(' ') };
    const { access_token } = await walk.tokens([...choice, ...scopes.map((scope) => ['scope', scope] as const)], asked);
    const agent = await connectAgent(api, access_token);
    expect(await agent.toolNames()).toEqual([...READS, ...GOALS, 'list_flags']);
    for (const name of [...READS_LINKS, ...WRITES_LINKS, ...AUDIT])
      expect(await agent.refused(name, argsFor(ours, definitions)[name])).toMatchObject(FORBIDDEN);
    await agent.close();
  });
});

describe('the session cookie of a person', () => {
  it('is no credential for tools, as browsers send it by themselves', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect(await ask(api, 'POST /v1/mcp', { headers: ours.headers, body })).toMatchObject({ status: 403 });
  });
});

const FORBIDDEN = {
  code: 'FORBIDDEN',
  message: 'Insufficient permissions',
  hint: expect.stringContaining('scope') as string,
  requestId: expect.stringMatching(/^[\w-]{8,}$/) as string,
};

let api: TestApi;
let host: string;
let projector: DirectProjector;
let ours: House;
let definitions: Definitions;
let theirs: House;

async function keyWith(house: House, { scopes, on = 'everything' }: Grants): Promise<string> {
  const resources = { everything: undefined, 'a website': { [`website:${house.websiteId}`]: [] } }[on];
  return (await newKey(api, house, { scopes, ...(resources ? { resources } : {}) })).secret;
}

const clientOf = (person: Person, scopes: readonly Scope[]): Promise<Agent> =>
  connectClient({ api, host }, person, ours.organizationId, scopes);

beforeAll(async () => {
  ({ api, host } = await startOAuthApi());
  projector = await projectInto(api.settings.databaseUrl, []);
  ours = await newHouse(api);
  theirs = await newHouse(api);
  const { organizationId, websiteId, headers } = ours;
  const condition = { kind: 'page' };
  const define = (kind: string, definition: object) =>
    created(api, `POST /v1/${kind}`, { organizationId, websiteId, name: 'Views', ...definition }, headers);
  definitions = {
    goalId: await define('goals', { condition }),
    funnelId: await define('funnels', { steps: [{ condition }, { condition }] }),
    segmentId: await define('segments', { did: [{ condition, within: 'session' }] }),
    savedViewId: await define('saved-views', {}),
    tagId: await created(api, 'POST /v1/tags', { organizationId, name: 'Tag' }, headers),
  };
  await projector.catchUp();
});

afterAll(async () => {
  await projector.close();
  await api.close();
});
