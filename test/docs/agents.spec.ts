import { TOOLS } from '../../apps/api/src/agents/catalogue';
import { newKey, ownerWithWebsite } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { curlCommandsIn, send } from './curl';
import { documentAt } from './documents';

const { text } = documentAt('docs/agents.md');
const URL_OF_EXAMPLES = 'http://localhost:3000';

describe('docs/agents.md', () => {
  it('lists every tool with the scope that it needs', () => {
    const rows = [...text.matchAll(/^\| (`\w+`(?: `\w+`)*) +\|.*\| (.+?) +\|$/gm)].flatMap(([, names, needs]) =>
      names!
        .replaceAll('`', '')
        .split(' ')
        .map((name) => [name, needs!] as const),
    );
    expect(rows.map(([name]) => name).sort()).toEqual(TOOLS.map(({ name }) => name).sort());
    const needed = new Map(rows);
    for (const { name, action } of TOOLS)
      expect([name, needed.get(name)]).toEqual([name, expect.stringContaining(SCOPES[String(action)]!)]);
  });

  it('connects clients to the endpoint that the manifest names', () => {
    const settings = [...text.matchAll(/```json\n(.*?)```/gs)].map(([, json]) => JSON.parse(json!) as object);
    const urls = [...JSON.stringify(settings).matchAll(/"url":"([^"]+)"/g)].map(([, url]) => url);
    expect(urls).toEqual(Array.from({ length: 3 }, () => `${URL_OF_EXAMPLES}/v1/mcp`));
    expect(text).toContain(
      `--transport http ledgerline ${URL_OF_EXAMPLES}/v1/mcp --header "Authorization: Bearer $KEY"`,
    );
  });

  it('shows a curl command that is answered', async () => {
    const owner = await ownerWithWebsite(api);
    const key = await newKey(api, owner, { scopes: ['read:data'] });
    const [command, ...others] = curlCommandsIn(text);
    expect(others).toEqual([]);
    const filled = command!.replaceAll(URL_OF_EXAMPLES, await api.app.getUrl()).replaceAll('$KEY', key);
    const answer = await send(filled);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(owner.websiteId)]);
  });
});

const websiteScopes = (...kinds: readonly string[]) =>
  Object.fromEntries(
    kinds.flatMap((kind) => [
      [`${kind}:read`, '`read:data`'],
      [`${kind}:write`, '`write:data`'],
    ]),
  );

/** By what a tool does. */
const SCOPES: Readonly<Record<string, string>> = {
  null: 'any credential',
  'websites:read': '`read:data`',
  'links:read': '`read:data` on everything',
  'links:write': '`write:data` on everything',
  'tags:read': '`read:data` on everything',
  'tags:write': '`write:data` on everything',
  'audit:read': '`read:audit` on everything',
  'erasures:request': 'the sign-in of an owner, with `write:data`',
  'monitors:read': '`read:data` on everything',
  'destinations:list': '`read:data` on everything',
  'destinations:test': 'the sign-in of an owner or admin, with `write:data`',
  'reports:read': 'the sign-in of an owner or admin, with `read:data`',
  ...websiteScopes('goals', 'funnels', 'segments', 'savedViews'),
  'alerts:read': '`read:data`',
  'alerts:write': '`read:data` and `write:data`',
  'annotations:read': '`read:data`',
  'annotations:write': '`write:data`',
  'flags:read': '`manage:flags`',
};

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});

afterAll(() => api.close());
