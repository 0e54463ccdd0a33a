import type { Scope } from '@ledgerline/contracts/events/api-key.events';
import { newHouse, type House } from '@test/access/cast';
import { ask } from '@test/api/ask';
import { colleague, type Person } from '@test/api/people';
import type { TestApi } from '@test/api/test-api';
import type { Agent } from '@test/mcp/agent';
import { connectClient } from '@test/mcp/connect-client';
import { startOAuthApi } from '@test/oauth/oauth-api';
import { projectInto, type DirectProjector } from '@test/query/projected-database';

it('may erase a visitor for an owner alone, after a preview, and with the scope to write', async () => {
  const agent = await clientOf(ours, ['write:data']);
  const visitor = { websiteId: ours.websiteId, visitorId: 'a'.repeat(32) };
  const none = { visitors: 0, sessions: 0, events: 0, clicks: 0, firstAt: null, lastAt: null };
  const nulls = { anonymousId: null, profileId: null, confirm: null };
  expect(await agent.call('erase_visitor', { ...visitor, ...nulls })).toMatchObject({ done: false, found: none });
  for (const wrong of [{ websiteId: ours.websiteId }, { ...visitor, profileId: 'x' }])
    expect(await agent.refused('erase_visitor', wrong)).toMatchObject({ details: [{ field: 'visitorId' }] });
  const { erasureId } = await agent.call('erase_visitor', { ...visitor, confirm: true });
  const receipt = await ask(api, `GET /v1/erasures/${String(erasureId)}`, { headers: ours.headers });
  expect(receipt.body).toMatchObject({ id: erasureId, subject: { visitors: [visitor.visitorId] } });
  await agent.close();
  const admin = await colleague(api, ours, 'admin');
  const others = [await clientOf(admin, ['read:data', 'write:data']), await clientOf(ours, ['read:data'])];
  for (const other of others) {
    expect(await other.toolNames()).not.toContain('erase_visitor');
    expect(await other.refused('erase_visitor', { ...visitor, confirm: true })).toMatchObject({ code: 'FORBIDDEN' });
    await other.close();
  }
});

let api: TestApi;
let host: string;
let projector: DirectProjector;
let ours: House;

const clientOf = (person: Person, scopes: readonly Scope[]): Promise<Agent> =>
  connectClient({ api, host }, person, ours.organizationId, scopes);

beforeAll(async () => {
  ({ api, host } = await startOAuthApi());
  projector = await projectInto(api.settings.databaseUrl, []);
  ours = await newHouse(api);
  await projector.catchUp();
});
afterAll(async () => {
  await projector.close();
  await api.close();
});
