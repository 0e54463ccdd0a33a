import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { getMetadataStorage } from 'class-validator';
import request from 'supertest';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { createTracker } from '../../apps/tracker/src/create-tracker';
import { ask } from '../api/ask';
import { newKey, ownerWithWebsite, type Owner } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { plausibleRequest, type OpenApiDocument, type Schema } from '../http/route-requests';
import { projectInto, type DirectProjector } from '../query/projected-database';
import { someOf } from '../random-runs';
import { DEEP, LONG, MANY, WHOLE, fillings, fullOf, placesIn, queriesOf, type Place } from './large-bodies';

/** Objects that are validated of one request. */
const MOST_OBJECTS = 1_200;
/** Bytes of a refusal beyond those of its request. */
const MOST_ADDED = 16 * 1024;

jest.setTimeout(480_000); // some thousand requests

describe('a body that is as large as it may be', () => {
  it('is taken or refused shortly in every place of every operation, however it is filled', async () => {
    const seen = new Set<string>();
    const places = operations(false).flatMap((operation) =>
      placesIn(schemaOf(operation), document, known(), seen).map((place) => [operation, place] as const),
    );
    expect(places.length).toBeGreaterThan(300);
    for (const [operation, place] of someOf(places, 4))
      for (const filling of fillings(place)) await expectBounded(operation, place, filling);
    await expectSignedIn();
  });

  it('is refused shortly where all lists within lists are full, and where they are deep', async () => {
    for (const operation of operations(false)) {
      for (const leaf of ['{}', '5'])
        await expectBounded(operation, WHOLE, fullOf(schemaOf(operation), document, leaf));
      for (const deep of DEEP) await expectBounded(operation, WHOLE, deep);
    }
  });

  it('is refused shortly in every argument of every tool', async () => {
    for (const deep of DEEP) {
      const { bytes, ...met } = await callMcp('tools/call', deep);
      expectShort({ deep: deep.length }, { ...met, bytes, sent: deep.length, isRefused: true });
    }
    const seen = new Set<string>();
    const { tools } = (await callMcp('tools/list', '{}')).result as { tools: { name: string; inputSchema: Schema }[] };
    for (const { name, inputSchema } of tools)
      for (const place of someOf(placesIn(inputSchema, asDocument(inputSchema), known(), seen), 4))
        for (const filling of fillings(place)) {
          const text = `{"name":"${name}","arguments":${place.bodyWith(filling)}}`;
          const { result, ...seen } = await callMcp('tools/call', text);
          const isRefused = (result as { isError?: boolean } | undefined)?.isError ?? true;
          // a question is read as an argument and as a question
          const objects = seen.objects / 2;
          expectShort(
            { name, ...shown(place, filling) },
            { ...seen, objects, isRefused, sent: Buffer.byteLength(text) },
          );
        }
  });

  it('is refused shortly by every route of the tracking host', async () => {
    const seen = new Set<string>();
    for (const operation of operations(true)) {
      const url = `${operation.split(' ')[1]}?client_id=${owner.websiteId}`;
      for (const place of placesIn(schemaOf(operation), document, known(), seen))
        for (const filling of fillings(place)) await expectShortOfTracker(url, place, filling);
      for (const deep of DEEP) await expectShortOfTracker(url, WHOLE, deep);
    }
  });
});

describe('an address that is as long as it may be', () => {
  it('is answered shortly, without it, by every operation', async () => {
    for (const [operation, names] of queriesOf(document)) {
      const [method = '', path = ''] = operation.split(' ');
      const ids: Readonly<Record<string, string>> = method === 'DELETE' ? {} : known();
      const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'x');
      const urls = [
        ...(path.includes('{') ? [path.replaceAll(/\{\w+\}/g, LONG.slice(0, LONG.length / 3))] : []),
        ...[...names, 'unknown'].map((name) => `${filled}?${name}=${LONG}`),
        `${filled}?${MANY}`,
      ];
      for (const url of urls) await expectShortOf(method as 'GET' | 'POST', url);
    }
    await expectSignedIn();
  });

  it('is answered shortly, without it, by the tracking host', async () => {
    const paths = ['/batch', '/track', '/px.jpg', '/tracker.js', '/health', '/abc', '/abc.svg'];
    for (const url of [
      `/${LONG}`,
      `/abc/${LONG}`,
      ...paths.flatMap((path) => [`${path}?client_id=${LONG}`, `${path}?${MANY}`]),
    ])
      for (const method of ['GET', 'POST'] as const) {
        const {
          statusCode: status,
          body,
          headers,
        } = await tracker.inject({ method, url, payload: method === 'GET' ? '' : '{}' });
        if (!url.startsWith('/tracker.js'))
          expectWithoutIt({ method, url: url.slice(0, 60) }, status, body + JSON.stringify(headers));
      }
  });

  it.each(['api', 'tracker'])('and longer is refused before it is read, by the %s', async (host) => {
    const app = host === 'api' ? api.app : tracker;
    const answer = await request(app.getHttpServer()).get(`/${LONG}${LONG}`);
    expectWithoutIt({ host }, answer.status, answer.text);
    expect(answer.status).toBe(431);
  });
});

/** Else nothing was looked at but the credential. */
const expectSignedIn = async () =>
  expect((await ask(api, `GET /v1/websites/${owner.websiteId}`, { headers: owner.headers })).status).toBe(200);

async function expectShortOf(method: 'GET' | 'POST', url: string): Promise<void> {
  const body = method === 'GET' ? {} : { body: '{}' };
  const headers = { ...owner.headers, 'content-type': 'application/json' };
  const { status, text, headers: answered } = await ask(api, `${method} ${url}`, { ...body, headers });
  expectWithoutIt({ method, url: url.slice(0, 100) }, status, text + JSON.stringify(answered));
}

function expectWithoutIt(what: object, status: number, text: string): void {
  const seen = {
    hasFailed: status >= 500,
    isLong: status >= 400 && text.length > MOST_ADDED,
    isShown: text.includes(LONG.slice(0, 400)),
  };
  expect({ ...what, ...seen }).toEqual({ ...what, hasFailed: false, isLong: false, isShown: false });
}

async function expectShortOfTracker(url: string, place: Place, filling: string): Promise<void> {
  const payload = place.bodyWith(filling);
  const headers = { 'content-type': 'application/json', 'user-agent': BROWSER };
  const { statusCode: status, body } = await tracker.inject({ method: 'POST', url, payload, headers });
  const sizes = { bytes: Buffer.byteLength(body), sent: Buffer.byteLength(payload) };
  expectShort({ url, ...shown(place, filling) }, { status, ...sizes, objects: 0, isRefused: true });
}

it('every list of every body has a documented limit', () => {
  const without = operations(false).flatMap((operation) =>
    placesIn(schemaOf(operation), document, known())
      .filter(({ holds, max }) => holds === 'items' && max === undefined)
      .map(({ way }) => `${operation} ${way}`),
  );
  expect(without.filter((place) => !ANY_JSON.some((field) => place.includes(field)))).toEqual([]);
});

/** Fields of any JSON, which have a limit in bytes. */
const ANY_JSON = ['.payload', '.defaultValue', '.value'];

it('every list of every class has a limit', () => {
  const { validationMetadatas } = getMetadataStorage() as unknown as {
    readonly validationMetadatas: ReadonlyMap<new () => object, readonly { readonly propertyName: string }[]>;
  }; // the library keeps the rules in a private map
  const without = [...validationMetadatas.keys()].flatMap((type) => {
    const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    const isLimited = (field: string) =>
      rules.some(({ propertyName, name = '' }) => propertyName === field && /^(arrayMaxSize|maxEntries)$/.test(name));
    const lists = rules.filter(({ name, each }) => each || name === 'isArray').map(({ propertyName }) => propertyName);
    return [...new Set(lists)].filter((field) => !isLimited(field)).map((field) => `${type.name}.${field}`);
  });
  expect(without).toEqual([]);
});

let api: TestApi;
let tracker: NestFastifyApplication;
let projector: DirectProjector;
let owner: Owner;
let key: string;
let document: OpenApiDocument;

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

const known = () => ({ organizationId: owner.organizationId, website_id: owner.websiteId, websiteId: owner.websiteId });

const shown = ({ way, holds }: Place, filling: string) => ({ way, holds, filling: filling.slice(0, 20) });

const asDocument = (schema: Schema & { readonly $defs?: Readonly<Record<string, Schema>> }): OpenApiDocument => ({
  paths: {},
  components: { schemas: schema.$defs ?? {} },
});

/** Returns the operations with a body: `POST /v1/links/{id}`; of the tracking host, or of the api. */
const operations = (isTracking: boolean): readonly string[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { servers, requestBody }]) => (servers !== undefined) === isTracking && requestBody)
      .map(([method]) => `${method.toUpperCase()} ${path}`)
      .filter((operation) => operation !== 'POST /v1/mcp'),
  );

const contentOf = (operation: string) => {
  const [method = '', path = ''] = operation.split(' ');
  return Object.entries(document.paths[path]?.[method.toLowerCase()]?.requestBody?.content ?? {})[0];
};

const schemaOf = (operation: string): Schema => contentOf(operation)?.[1].schema ?? {};

interface Seen {
  readonly status: number;
  readonly sent: number;
  readonly bytes: number;
  readonly objects: number;
  readonly isRefused: boolean;
}

const expectShort = (what: object, { status, sent, bytes, objects, isRefused }: Seen) =>
  expect({
    ...what,
    hasFailed: status >= 500,
    moreBytes: isRefused ? Math.max(0, bytes - sent - MOST_ADDED) : 0,
    moreObjects: Math.max(0, objects - MOST_OBJECTS),
  }).toEqual({ ...what, hasFailed: false, moreBytes: 0, moreObjects: 0 });

/** Sends a body with a place filled, as JSON or as a form. */
async function expectBounded(operation: string, place: Place, filling: string): Promise<void> {
  const isForm = contentOf(operation)?.[0] === 'application/x-www-form-urlencoded';
  const json = place.bodyWith(filling);
  const body = isForm ? json.replaceAll(/[^\w]+/g, '&') : json;
  const { method, path, query } = plausibleRequest(
    operation.replaceAll(/\{(\w+)\}/g, ':$1'),
    { id: 'x', ...known() },
    document,
  );
  const url = Object.keys(query).length > 0 ? `${path}?${new URLSearchParams(query).toString()}` : path;
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  validated.mockClear();
  const answer = await ask(api, `${method as 'POST'} ${url}`, {
    body,
    headers: { ...owner.headers, 'content-type': type },
  });
  const objects = operation === BATCH ? 0 : validated.mock.calls.length;
  const { status, text } = answer;
  const seen = {
    status,
    sent: Buffer.byteLength(body),
    bytes: Buffer.byteLength(text),
    objects,
    isRefused: status >= 400,
  };
  expectShort({ operation, ...shown(place, filling) }, seen);
}

/** Its items are validated each for itself. */
const BATCH = 'POST /v1/links/bulk';

async function callMcp(method: string, params: string) {
  validated.mockClear();
  const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'x-api-key': key,
  };
  const { status, text } = await ask(api, 'POST /v1/mcp', { body, headers });
  const json = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}');
  const { result } = JSON.parse(json) as { result?: unknown };
  return { result, status, bytes: Buffer.byteLength(text), objects: validated.mock.calls.length };
}

let validated: jest.SpyInstance;

beforeAll(async () => {
  const names = ['API', 'PUBLIC', 'QUERY', 'QUERY_ANONYMOUS', 'FAILED_AUTH', 'AUDIT_EXPORT', 'FLAGS'];
  api = await startTestApi({
    ...Object.fromEntries(names.map((name) => [`LIMIT_${name}_PER_MINUTE`, '1000000'])),
    LIMIT_REQUESTS_PER_WEBSITE_AND_IP_PER_MINUTE: '1000000',
  });
  projector = await projectInto(api.settings.databaseUrl, []);
  owner = await ownerWithWebsite(api);
  key = await newKey(api, owner, { scopes: ['read:data', 'write:data', 'read:audit'] });
  tracker = await createTracker(api.settings, createLogger('tracker', 'fatal'));
  await tracker.listen(0, '127.0.0.1');
  await projector.catchUp();
  document = (await ask(api, 'GET /openapi.json')).body as unknown as OpenApiDocument;
  // called once for each object that is validated
  validated = jest.spyOn(getMetadataStorage(), 'getTargetValidationMetadatas');
});

afterAll(async () => {
  await tracker.close();
  await projector.close();
  await api.close();
});
