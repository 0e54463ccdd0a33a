import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import fc from 'fast-check';
import { ask } from '@test/api/ask';
import { newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { TOOLS_OF_KEYS } from '@test/mcp/agent';
import { projectInto } from '@test/query/projected-database';
import { TOOLS } from './catalogue';

const DASHBOARD = 'https://dashboard.example';
const BOTH = 'application/json, text/event-stream';

describe('a request without the library', () => {
  it.each(['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'shakes hands in revision %s',
    async (version) => {
      const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'curl', version: '1' } };
      const { status, headers, text } = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      expect([status, headers['content-type']]).toEqual([200, 'text/event-stream']);
      expect(headers['mcp-session-id']).toBeUndefined();
      expect(messagesIn(text)).toMatchObject([
        {
          id: 1,
          result: { protocolVersion: version, serverInfo: { name: 'ledgerline' }, capabilities: { tools: {} } },
        },
      ]);
    },
  );

  it('calls a tool without a handshake, as there are no sessions', async () => {
    const { status, text } = await post(call('list_websites'), { 'mcp-protocol-version': '2025-06-18' });
    expect(status).toBe(200);
    const [message] = messagesIn(text);
    expect(message).toMatchObject({ id: 1, result: { structuredContent: { total: 1 } } });
  });

  it('is taken without a response if it is a notification', async () => {
    const { status, text } = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([status, text]).toEqual([202, '']);
  });

  it('is answered for each message of a batch', async () => {
    const batch = [call('list_websites'), { ...call('list_query_types', { search: 'country' }), id: 2 }];
    const { status, text } = await post(batch, { 'mcp-protocol-version': '2025-03-26' });
    expect(status).toBe(200);
    expect(messagesIn(text).map(({ id }) => id)).toEqual(expect.arrayContaining([1, 2]));
  });

  it.each(['GET', 'DELETE'] as const)('of %s is refused, as there is no session to follow or end', async (method) => {
    const { status, headers, body } = await ask(api, `${method} /v1/mcp`, { headers: { 'x-api-key': key } });
    expect([status, headers.allow, body.code]).toEqual([405, 'POST', 'METHOD_NOT_ALLOWED']);
  });

  it('names an unknown tool and an unknown method in an error of the protocol', async () => {
    const unknown = messagesIn((await post(call('drop_tables'))).text);
    expect(unknown).toMatchObject([{ id: 1, error: { code: -32602, message: 'There is no tool "drop_tables"' } }]);
    const method = messagesIn((await post({ jsonrpc: '2.0', id: 7, method: 'prompts/list' })).text);
    expect(method).toMatchObject([{ id: 7, error: { code: -32601 } }]);
  });

  it('is refused as malformed, never as a failure of ours', async () => {
    const strange = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.record({
        jsonrpc: fc.constantFrom<unknown>('2.0', '1.0', 2, null),
        id: fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.integer()),
        method: fc.constantFrom<unknown>('tools/call', 'tools/list', 'resources/read', 'initialize', 'x', '', 3, null),
        params: fc.oneof(
          fc.jsonValue({ maxDepth: 2 }),
          fc.record({
            name: fc.constantFrom<unknown>(...TOOLS.map(({ name }) => name), 'toString', 3, null),
            arguments: fc.oneof(
              fc.jsonValue({ maxDepth: 2 }),
              fc.record({ linkId: fc.jsonValue({ maxDepth: 1 }), confirm: fc.jsonValue({ maxDepth: 0 }) }),
            ),
          }),
        ),
      }),
    );
    const versions = fc.constantFrom('2025-11-25', '2026-07-28', '1999-01-01', 'x');
    await fc.assert(
      fc.asyncProperty(strange, versions, async (body, version) => {
        const headers = { 'mcp-protocol-version': version, 'content-type': 'application/json' };
        const { status, text } = await post(JSON.stringify(body), headers);
        if (status >= 500 || text.includes('"INTERNAL"') || text.includes('-32603'))
          throw new Error(`${status} ${text}`);
      }),
      { numRuns: 120, seed: 73 },
    );
  });
});

describe('a client of the library before the present one', () => {
  it('reads results and errors of every tool, and schemas without references', async () => {
    const client = new Client({ name: 'spec', version: '1' });
    const requestInit = { headers: { 'x-api-key': key } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/v1/mcp', await api.app.getUrl()), { requestInit }),
    );
    const { tools } = await client.listTools(); // from now on it compares results with their schemas
    expect(tools.map(({ name }) => name)).toEqual(TOOLS_OF_KEYS);
    expect(JSON.stringify(tools)).not.toContain('$ref');
    expect(await client.callTool({ name: 'list_websites' })).toMatchObject({ structuredContent: { total: 1 } });
    for (const { name } of tools) {
      const { isError, content } = await client.callTool({ name, arguments: { colour: 'green' } });
      const [{ text }] = content as [{ text: string }];
      const lacks = { code: 'VALIDATION_ERROR', requestId: expect.any(String) as string };
      expect([name, isError, JSON.parse(text)]).toEqual([name, true, expect.objectContaining(lacks)]);
    }
    await client.close();
  });
});

describe('DNS rebinding', () => {
  it.each(['evil.example', 'localhost.evil.example', 'localhost@evil.example'])(
    'with the host %p is refused',
    async (host) => {
      expect(await statusFor({ host })).toBe(403);
    },
  );

  it.each(['localhost:3000', '127.0.0.1', '[::1]:80', 'api.ledgerline.example'])(
    'with the host %p is none',
    async (host) => {
      expect(await statusFor({ host })).toBe(200);
    },
  );

  it.each(['https://evil.example', 'null', 'https://dashboard.example.evil.example'])(
    'with the origin %p is refused',
    async (origin) => {
      expect(await statusFor({ origin })).toBe(403);
    },
  );

  it.each([DASHBOARD, 'https://api.ledgerline.example'])('with the origin %p is none', async (origin) => {
    expect(await statusFor({ origin })).toBe(200);
  });
});

it('a session of a person is refused with the place to get a credential for agents', async () => {
  const { status, headers } = await ask(api, 'POST /v1/mcp', { body: call('list_websites'), headers: owner.headers });
  const at = 'https://api.ledgerline.example/.well-known/oauth-protected-resource/v1/mcp';
  expect([status, headers['www-authenticate']]).toEqual([
    403,
    `Bearer error="insufficient_scope", resource_metadata="${at}"`,
  ]);
});

describe('a browser of a dashboard', () => {
  it('may send the headers of the protocol', async () => {
    const { status, headers } = await ask(api, 'OPTIONS /v1/mcp', {
      headers: { origin: DASHBOARD, 'access-control-request-method': 'POST' },
    });
    expect(status).toBe(204);
    expect(headers['access-control-allow-headers']).toMatch(/Mcp-Method, Mcp-Name, Mcp-Protocol-Version/);
  });
});

describe('the budget', () => {
  it('is that of REST: a query counts among queries, and every message of a batch among requests', async () => {
    const limits = { LIMIT_API_PER_MINUTE: '8', LIMIT_QUERY_PER_MINUTE: '2' };
    const limited = await startTestApi(limits);
    const projector = await projectInto(limited.settings.databaseUrl);
    const them = await ownerWithWebsite(limited);
    const headers = { 'x-api-key': await newKey(limited, them, { scopes: ['read:data'] }), accept: BOTH };
    const asked = { websiteId: them.websiteId, parameters: ['summary_metrics'] };
    const send = (body: object) => ask(limited, 'POST /v1/mcp', { body, headers });
    expect((await send(call('query', asked))).headers['x-ratelimit-remaining']).toBe('1');
    const rest = `POST /v1/query?website_id=${them.websiteId}` as const;
    const { status } = await ask(limited, rest, { body: { parameters: ['summary_metrics'] }, headers });
    expect(status).toBe(200);
    const third = await send(call('query', asked));
    expect([third.status, third.body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(third.headers['retry-after'])).toBeGreaterThan(0);
    expect((await send([call('list_websites'), call('list_websites'), call('list_websites')])).status).toBe(200);
    expect((await send(Array.from({ length: 4 }, () => call('list_websites')))).status).toBe(429);
    const rateLimit = { max: 2, windowSeconds: 60 };
    headers['x-api-key'] = await newKey(limited, them, { scopes: ['read:data'], rateLimit });
    expect((await send(call('query', asked))).headers['x-ratelimit-remaining']).toBe('1');
    await projector.close();
    await limited.close();
  });
});

const call = (name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

const post = (body: object | string, headers: Readonly<Record<string, string>> = {}) =>
  ask(api, 'POST /v1/mcp', { body, headers: { 'x-api-key': key, accept: BOTH, ...headers } });

/** The messages of an event stream. */
const messagesIn = (stream: string): { readonly id: unknown }[] =>
  [...stream.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!) as { id: unknown });

/** With headers that other clients would set themselves. */
function statusFor(headers: Readonly<Record<string, string>>): Promise<number> {
  const { port } = api.app.getHttpServer().address() as AddressInfo;
  const body = JSON.stringify(call('list_websites'));
  const sent = { 'x-api-key': key, 'content-type': 'application/json', accept: BOTH, host: 'localhost', ...headers };
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      { host: '127.0.0.1', port, path: '/v1/mcp', method: 'POST', headers: sent },
      (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      },
    );
    outgoing.on('error', reject).end(body);
  });
}

let api: TestApi;
let owner: Owner;
let key: string;

beforeAll(async () => {
  api = await startTestApi({
    LIMIT_API_PER_MINUTE: '100000',
    LIMIT_QUERY_PER_MINUTE: '100000',
    PUBLIC_API_URL: 'https://api.ledgerline.example',
    DASHBOARD_ORIGINS: DASHBOARD,
  });
  owner = await ownerWithWebsite(api);
  key = await newKey(api, owner, { scopes: ['read:data', 'write:data', 'read:audit', 'manage:flags'] });
});

afterAll(() => api.close());
