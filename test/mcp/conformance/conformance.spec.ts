import type { AddressInfo } from 'node:net';
import { ToolDescriptions, TOOLS } from '../../../apps/api/src/agents/catalogue';
import { McpServers } from '../../../apps/api/src/agents/mcp-servers';
import { newKey, ownerWithWebsite } from '../../api/people';
import { startTestApi, type TestApi } from '../../api/test-api';
import { startCredentialProxy, type CredentialProxy } from './credential-proxy';
import { withFixtures } from './fixtures';
import { runSuite } from './suite';

/** The public suite, in a process of its own, against the endpoint with our tools and those that the suite calls by name. */
describe('the conformance suite', () => {
  it.each(['2025-11-25', '2026-07-28'])('finds in revision %s only the failures that are listed', async (revision) => {
    const { code, output } = await runSuite(proxy.url, revision);
    expect(output).toMatch(/Total: \d+ passed/);
    if (code !== 0) throw new Error(output);
  });
});

let api: TestApi;
let proxy: CredentialProxy;

beforeAll(async () => {
  proxy = await startCredentialProxy();
  api = await startTestApi({ LIMIT_API_PER_MINUTE: '100000', PUBLIC_API_URL: proxy.url });
  const key = await newKey(api, await ownerWithWebsite(api), { scopes: ['read:data', 'write:data', 'read:audit'] });
  proxy.forward((api.app.getHttpServer().address() as AddressInfo).port, key);
  const servers = api.app.get(McpServers);
  const create = servers.create.bind(servers);
  const tools = api.app.get(ToolDescriptions).of(TOOLS);
  jest.spyOn(servers, 'create').mockImplementation((context) => {
    const call = (name: string, args?: object) => servers.call(name, args, context);
    return withFixtures(create(context), { tools, call });
  });
});

afterAll(async () => {
  await proxy.close();
  await api.close();
});
