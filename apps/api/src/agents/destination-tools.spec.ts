import type { Scope } from '@ledgerline/contracts/events/api-key.events';
import { created, newHouse, newKey, type House } from '@test/access/cast';
import { destinationBody } from '@test/access/destination-samples';
import { colleague, type Person } from '@test/api/people';
import type { TestApi } from '@test/api/test-api';
import { connectAgent, type Agent } from '@test/mcp/agent';
import { connectClient } from '@test/mcp/connect-client';
import { startOAuthApi } from '@test/oauth/oauth-api';

it('are listed for a key by name, kind and state, without their addresses', async () => {
  const { secret } = await newKey(api, ours, { scopes: ['read:data'] });
  const agent = await connectAgent(api, secret);
  const shown = { id: destinationId, name, kind: 'webhook', state: 'ok' };
  const { destinations, total } = await agent.call('list_destinations', { search: name.toUpperCase() });
  expect([destinations, total]).toEqual([[shown], 1]);
  expect(await agent.call('list_destinations', { search: 'none' })).toMatchObject({ destinations: [], total: 0 });
  expect(await agent.refused('test_destination', { destinationId })).toMatchObject({ code: 'FORBIDDEN' });
  await agent.close();
});

it('are tested for an owner or admin who signed in, with the scope to write', async () => {
  const admin = await colleague(api, ours, 'admin');
  const agent = await clientOf(admin, ['read:data', 'write:data']);
  expect(await agent.call('test_destination', { destinationId })).toEqual({
    status: null,
    text: 'hooks.invalid has no address.',
  });
  const { tools } = await agent.client.listTools();
  const hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };
  expect(tools.find((tool) => tool.name === 'test_destination')?.annotations).toMatchObject(hints);
  expect(await agent.refused('test_destination', { destinationId: 'dst_none' })).toMatchObject({
    code: 'NOT_FOUND',
    hint: 'Look up the id with list_destinations.',
  });
  await agent.close();
  const member = await colleague(api, ours, 'member');
  for (const other of [await clientOf(member, ['read:data', 'write:data']), await clientOf(ours, ['read:data'])]) {
    expect(await other.toolNames()).toContain('list_destinations');
    expect(await other.toolNames()).not.toContain('test_destination');
    expect(await other.refused('test_destination', { destinationId })).toMatchObject({ code: 'FORBIDDEN' });
    await other.close();
  }
});

let api: TestApi;
let host: string;
let ours: House;
let destinationId: string;
const { name, ...destination } = destinationBody();

const clientOf = (person: Person, scopes: readonly Scope[]): Promise<Agent> =>
  connectClient({ api, host }, person, ours.organizationId, scopes);

beforeAll(async () => {
  ({ api, host } = await startOAuthApi());
  ours = await newHouse(api);
  const { organizationId, headers } = ours;
  destinationId = await created(api, 'POST /v1/destinations', { organizationId, name, ...destination }, headers);
});

afterAll(() => api.close());
