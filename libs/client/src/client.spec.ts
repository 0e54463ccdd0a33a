import { ApiError, createClient, dataOf } from './client.js';

describe('the client', () => {
  it('sends the target of a query in the address, the rest as the body, with the key', async () => {
    const { client, sent } = clientOf(() => Response.json({ data: [] }));
    await client.query({ link: 'link_1', parameters: ['link_total_clicks'], limit: 3 });
    const [request] = sent;
    expect(request?.url).toBe('https://api.example.com/v1/query?link_id=link_1');
    expect(request?.headers.get('x-api-key')).toBe('svc_1');
    expect(await request?.json()).toEqual({ parameters: ['link_total_clicks'], limit: 3 });
  });

  it('sends no key without one, so that the cookie of a session counts', async () => {
    const { client, sent } = clientOf(() => Response.json({}), {});
    await client.GET('/v1/query/websites');
    expect(sent[0]?.headers.has('x-api-key')).toBe(false);
    expect(sent[0]?.credentials).toBe('same-origin');
  });

  it('ends a query by a signal', async () => {
    const { client } = clientOf(() => Response.json({}));
    const asked = client.query({ monitor: 'mon_1', parameters: ['uptime_summary'] }, { signal: AbortSignal.abort() });
    await expect(asked).rejects.toThrow('aborted');
  });

  describe('sends an Idempotency-Key with every change by POST', () => {
    const create = (client: ReturnType<typeof createClient>, name = 'A') =>
      client.POST('/v1/organizations', { body: { name } }).catch((error: unknown) => error);
    const keysOf = (sent: readonly Request[]) => sent.map(({ headers }) => headers.get('idempotency-key'));
    const unavailable = () => Response.json({ code: 'SERVICE_UNAVAILABLE', error: 'lost' }, { status: 503 });
    const signedOut = () => Response.json({ code: 'AUTH_REQUIRED', error: 'no' }, { status: 401 });
    const created = () => Response.json({ id: 'org_1' }, { status: 201 });

    it('a new one for each call, also for equal ones at once', async () => {
      const { client, sent } = clientOf(created);
      await Promise.all([create(client), create(client)]);
      await create(client);
      expect(new Set(keysOf(sent)).size).toBe(3);
      for (const key of keysOf(sent)) expect(key).toMatch(/^[\da-f]{32}$/);
    });

    it('and the same one while the outcome of the call is unknown', async () => {
      const answers = [unavailable, () => Promise.reject(new TypeError('fetch failed')), signedOut, created, created];
      const { client, sent } = clientOf(() => answers.shift()!());
      for (let n = 0; n < 5; n++) await create(client);
      const [first, ...others] = keysOf(sent);
      expect(others.slice(0, 3)).toEqual([first, first, first]);
      expect(others[3]).not.toBe(first);
    });

    it('of that call alone', async () => {
      const { client, sent } = clientOf(unavailable);
      await create(client, 'A');
      await create(client, 'B');
      await create(client, 'A');
      const [a, b, again] = keysOf(sent);
      expect(b).not.toBe(a);
      expect(again).toBe(a);
    });

    it('but the one that the caller chose, and none with questions', async () => {
      const { client, sent } = clientOf(() => Response.json({ data: [] }));
      const params = { header: { 'Idempotency-Key': 'mine' } };
      await client.POST('/v1/organizations', { params, body: { name: 'A' } });
      await client.query({ website: 'site_1', parameters: ['top_pages'] });
      expect(keysOf(sent)).toEqual(['mine', null]);
    });
  });

  it('sends with each read the position of its newest write, whichever answer comes first', async () => {
    const positions = ['e:9', 'e:10', 'e:9'];
    const { client, sent } = clientOf(({ method }) =>
      Response.json({}, method === 'GET' ? {} : { headers: { 'x-log-position': positions.shift()! } }),
    );
    const read = () => client.GET('/v1/organizations');
    await read();
    for (const name of ['A', 'B', 'C']) await client.POST('/v1/organizations', { body: { name } });
    await read();
    await client.query({ website: 'web_1', parameters: ['top_pages'] });
    const params = { query: { clientId: 'web_1' } };
    await client.GET('/public/v1/flags/bulk', { params });
    expect(sent.map(({ headers }) => headers.get('x-min-position'))).toEqual([
      ...[null, null, null, null],
      ...['e:10', 'e:10', null],
    ]);
  });

  it('reports the progress of a verification, in whatever pieces its lines come, and returns the verdict', async () => {
    const lines = [
      { verified: 500, total: 900 },
      { verified: 900, total: 900 },
      { valid: true, events: 900 },
    ];
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const { client, sent } = clientOf(() => new Response(inPieces(text, 7)));
    const progress: object[] = [];
    const verdict = await client.verifyAuditLog('org_1', { onProgress: (each) => progress.push(each) });
    expect([...progress, verdict]).toEqual(lines);
    expect(sent[0]?.url).toBe('https://api.example.com/v1/audit-log/verify?organizationId=org_1&format=ndjson');
  });

  it('takes no verification for complete that ends without its verdict', async () => {
    const { client } = clientOf(() => new Response('{"verified":500,"total":900}\n{"valid":tr'));
    await expect(client.verifyAuditLog('org_1')).rejects.toThrow('without a verdict');
    const problem = { success: false, error: 'Insufficient permissions', code: 'FORBIDDEN' };
    const refused = clientOf(() => Response.json(problem, { status: 403 }));
    await expect(refused.client.verifyAuditLog('org_1')).rejects.toBeInstanceOf(ApiError);
  });

  it('throws what the api refuses, with its code and the wrong fields', async () => {
    const details = [{ field: 'limit', message: 'must not be less than 1' }];
    const problem = { success: false, error: 'The request is not valid', code: 'VALIDATION_ERROR', requestId: 'r1' };
    const { client } = clientOf(() => Response.json({ ...problem, details }, { status: 400 }));
    const failed = await client.query({ website: 'w', parameters: ['top_pages'] }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ApiError);
    expect(failed).toMatchObject({ message: problem.error, code: problem.code, status: 400, requestId: 'r1', details });
  });

  it('throws what something before the api refuses, with its status', async () => {
    const { client } = clientOf(() => new Response('<h1>Busy</h1>', { status: 503, headers: { 'retry-after': '7' } }));
    const expected = { message: 'The api answered 503', status: 503, code: undefined, details: [], retryAfter: 7 };
    await expect(dataOf(client.GET('/v1/query/websites'))).rejects.toMatchObject(expected);
  });
});

function inPieces(text: string, length: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += length) controller.enqueue(bytes.slice(at, at + length));
      controller.close();
    },
  });
}

/** With a fetch that answers all requests, and these in their order. */
function clientOf(
  answer: (request: Request) => Response | Promise<Response>,
  options: { apiKey?: string } = { apiKey: 'svc_1' },
) {
  const sent: Request[] = [];
  const fetch = (request: Request): Promise<Response> => {
    sent.push(request.clone());
    return request.signal.aborted ? Promise.reject(request.signal.reason as Error) : Promise.resolve(answer(request));
  };
  return { client: createClient({ baseUrl: 'https://api.example.com/', fetch, ...options }), sent };
}
