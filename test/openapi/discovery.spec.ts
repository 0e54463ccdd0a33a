import { parse } from 'yaml';
import { LINKSET } from '../../apps/api/src/reference/discovery.controller';
import { ask } from '../api/ask';
import { startTestApi, type TestApi } from '../api/test-api';
import { routesOf } from '../http/route-requests';
import { projectInto, type DirectProjector } from '../query/projected-database';
import { waitUntil } from '../wait-until';

const API = 'http://localhost:3000';

describe('discovery without a credential', () => {
  it('has the same document as JSON and as YAML', async () => {
    const json = await ask(api, 'GET /openapi.json');
    const yaml = await ask(api, 'GET /openapi.yaml');
    expect(yaml.headers['content-type']).toBe('application/yaml; charset=utf-8');
    expect(parse(yaml.text)).toEqual(json.body);
  });

  it('lists both hosts in the catalogue, with addresses that are answered', async () => {
    const { status, headers, body } = await ask(api, 'GET /.well-known/api-catalog');
    expect([status, headers['content-type']]).toEqual([200, `${LINKSET}; charset=utf-8`]);
    expect(headers['link']).toBe('</.well-known/api-catalog>; rel="api-catalog"');
    const linkset = body.linkset as { anchor: string }[];
    expect(linkset.map(({ anchor }) => anchor)).toEqual([API, 'http://localhost:3001']);
    const ours = hrefsIn(linkset).filter((href) => href.startsWith(API));
    expect(ours).toHaveLength(9);
    for (const href of ours) {
      const answer = await ask(api, `GET ${href.slice(API.length)}`);
      expect([href, answer.status]).toEqual([href, 200]);
    }
  });

  it('lists an MCP server if there is one', async () => {
    const { body } = await ask(api, 'GET /.well-known/mcp.json');
    const runs = routesOf(api.app).includes('POST /v1/mcp');
    expect(body.servers).toEqual(runs ? [{ type: 'streamable-http', url: `${API}/v1/mcp` }] : []);
  });

  it('shows a page that may load nothing from other hosts', async () => {
    const { headers, text } = await ask(api, 'GET /');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/,
    );
    expect(text).toContain('IP Geolocation by DB-IP');
    const loaded = [...text.matchAll(/(?:src|href)="(\/reference\/[^"]+)"/g)].map(([, path]) => path!);
    expect(loaded).toHaveLength(7);
    for (const path of loaded) expect([path, (await ask(api, `GET ${path}`)).status]).toEqual([path, 200]);
    expect(await ask(api, 'GET /reference/secrets.json')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await ask(api, 'GET /reference/..%2fpackage.json')).toMatchObject({ status: 404 });
  });
});

const hrefsIn = (linkset: object): string[] =>
  [...JSON.stringify(linkset).matchAll(/"href":"([^"]+)"/g)].map(([, href]) => href!);

let api: TestApi;
let projector: DirectProjector;

beforeAll(async () => {
  api = await startTestApi({ PUBLIC_TRACK_URL: 'http://localhost:3001' });
  projector = await projectInto(api.settings.databaseUrl, []);
  await projector.catchUp();
  await waitUntil(
    () => ask(api, 'GET /health/ready'),
    ({ status }) => status === 200, // looks in the background
  );
});

afterAll(async () => {
  await projector.close();
  await api.close();
});
