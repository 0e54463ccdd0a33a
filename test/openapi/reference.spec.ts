import { undocumentedFields } from '../../apps/api/src/reference/open-api';
import { ask } from '../api/ask';
import { OPERATOR } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { routesOf } from '../http/route-requests';
import { projectInto, type DirectProjector } from '../query/projected-database';
import { documentedRequests, type DescribedOperation, type DocumentedRequest } from './documented-requests';
import { readyToSend, sceneOn, type Scene } from './example-scene';

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

type Described = DescribedOperation & {
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly object[];
};

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

describe('/openapi.json', () => {
  it('describes every route of the api, and no other', () => {
    const routes = routesOf(api.app).filter((route) => METHODS.includes(route.split(' ')[0] ?? ''));
    const documented = operations()
      .filter(([, { servers }]) => servers === undefined)
      .map(([name]) => name);
    expect(
      missing(
        routes.map((route) => route.replaceAll(/:(\w+)/g, '{$1}')),
        documented,
      ),
    ).toEqual([]);
    expect(documented.filter((name) => !routes.includes(name.replaceAll(/\{(\w+)\}/g, ':$1')))).toEqual([]);
  });

  it('says of every route what it does, who may use it and what it answers', () => {
    const silent = operations().flatMap(([name, { summary, tags, security, responses }]) => [
      ...(summary ? [] : [`${name} needs @ApiOperation({ summary: '…' })`]),
      ...(tags?.length ? [] : [`${name} needs @ApiTags('…') on its controller`]),
      ...(security?.length ? [] : [`${name} needs @Public() or @Requires('…')`]),
      ...Object.entries(responses)
        .filter(([status, response]) => /^20[0-3]/.test(status) && !('content' in response))
        .map(([status]) => `${name} needs the schema of its ${status}: @ApiOkResponse({ type: SomeDto })`),
    ]);
    expect(silent).toEqual([]);
  });

  it('describes every field that is validated', () => {
    expect(undocumentedFields().map((field) => `${field} needs @ApiProperty()`)).toEqual([]);
  });

  it('has examples that are answered as documented', async () => {
    const failed: string[] = [];
    const requests = documentedRequests({ paths: ofTheApi() }).filter(({ operation }) => !ELSEWHERE.test(operation));
    for (const request of requests) failed.push(...(await failuresOf(request)));
    expect(failed).toEqual([]);
  });
});

/** Shown in apps/api/src/identity/oauth, as each needs the signed answer of the one before, of mails in apps/projector/src/deliveries, and in apps/api/src/console, which is built. */
const ELSEWHERE =
  /^(GET|POST) \/(v1\/auth\/(oauth2|verify-email)\/|v1\/destinations\/[^/]+\/(confirm|unsubscribe)|console)/;

const missing = (routes: readonly string[], documented: readonly string[]) =>
  routes
    .filter((route) => !documented.includes(route))
    .map((route) => `${route} is not documented: give it @ApiOperation, and take @ApiExclude… away`);

/** Without the tracking host, which has a spec of its own. */
const ofTheApi = (): Document['paths'] =>
  Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).filter(([, { servers }]) => servers === undefined)),
    ]),
  );

const operations = (): (readonly [string, Described])[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
  );

const ADVICE =
  'give the fields of its body an example (@ApiProperty), the ids in its path one in apps/api/src/reference/document.ts, and what it needs beyond that a preparation in test/openapi/example-scene.ts';

async function failuresOf(request: DocumentedRequest): Promise<string[]> {
  const { method, operation, success } = request;
  const { path, headers, body } = await readyToSend(scene, request);
  const sent = { headers, ...(body === undefined ? {} : { body: body as object }) };
  const { status, text } = await ask(api, `${method as 'GET'} ${path}`, sent);
  if (status === success) return [];
  return [`${operation}: its example ${JSON.stringify({ path, body })} is answered ${status} ${text}; ${ADVICE}`];
}

let api: TestApi;
let projector: DirectProjector;
let scene: Scene;
let document: Document;

beforeAll(async () => {
  api = await startTestApi({ MAIL_TO_FILES: '1', LIMIT_FAILED_AUTH_PER_MINUTE: '1000', OPERATOR_EMAILS: OPERATOR });
  await api.signHeads();
  projector = await projectInto(api.settings.databaseUrl, []);
  scene = await sceneOn(api);
  await projector.catchUp();
  document = (await ask(api, 'GET /openapi.json')).body as unknown as Document;
});

afterAll(async () => {
  await projector.close();
  await api.close();
});
