import { newKey } from '../../../../test/api/people';
import { connectAgent, PRESENT, type Agent } from '../../../../test/mcp/agent';
import { DAY, startQueryApi, type QueryApi } from '../../../../test/query/query-api';
import { TOOLS } from './catalogue';

describe.each([
  ['the present revision', PRESENT],
  ['the revisions with a handshake', 'legacy'],
] as const)('an agent of %s', (_, mode) => {
  let agent: Agent;
  beforeAll(async () => void (agent = await connectAgent(query.api, fullKey, mode)));
  afterAll(() => agent.close());

  it('sees every tool with schemas, annotations and a text', async () => {
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    for (const { description, inputSchema, outputSchema, annotations } of tools) {
      expect(description!.length).toBeGreaterThan(40);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object', properties: expect.anything() as object });
      expect(annotations).toMatchObject({ openWorldHint: false, readOnlyHint: expect.any(Boolean) as boolean });
    }
    const hints = (name: string) => tools.find((tool) => tool.name === name)?.annotations;
    expect(hints('query')).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(hints('create_link')).toMatchObject({ readOnlyHint: false, destructiveHint: false, idempotentHint: false });
    expect(hints('delete_link')).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
  });

  it('asks what REST is asked, and gets the same answer', async () => {
    const asked = { parameters: ['summary_metrics', 'top_pages', 'events_by_date'], startDate: DAY, endDate: DAY };
    const { data, meta, truncated } = await agent.call('query', { ...asked, websiteId: query.owner.websiteId });
    const { body } = await query.question(asked);
    expect(data).toEqual(body.data);
    expect(truncated).toBe(false);
    expect({ ...(meta as object), lagMs: 0 }).toEqual({ ...(body.meta as object), lagMs: 0 });
  });
});

let query: QueryApi;
let fullKey: string;

beforeAll(async () => {
  query = await startQueryApi();
  await query.api.app.listen(0, '127.0.0.1');
  fullKey = await newKey(query.api, query.owner, { scopes: ['read:data', 'write:data', 'read:audit'] });
});

afterAll(() => query.close());
