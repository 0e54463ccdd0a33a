import request from 'supertest';
import { BROWSER } from '../../scripts/supervisor/screen';
import { ask } from '../api/ask';
import { ResponseChecks, type Document } from '../api/response-checks';
import { startTestApi } from '../api/test-api';
import { routesOf } from '../http/route-requests';
import { startTracker, type RunningTracker } from '../tracker/running-tracker';
import { documentedRequests, type DescribedOperation } from './documented-requests';

type Paths = Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;

/** On both hosts, and described with those of the api. */
const SHARED = ['GET /', 'GET /health', 'GET /metrics'];

describe('the tracking host in the document', () => {
  it('has every route of the tracker, and no other', () => {
    const routes = routesOf(tracker.app).filter((route) => !/^(HEAD|OPTIONS) /.test(route) && !SHARED.includes(route));
    const documented = documentedRequests({ paths }).map(({ operation }) => operation.replaceAll(/\{(\w+)\}/g, ':$1'));
    const missing = routes.filter((route) => !documented.includes(route));
    expect(missing.map((route) => `${route} needs a description in apps/api/src/reference/tracking-host.ts`)).toEqual(
      [],
    );
    expect(documented.filter((route) => !routes.includes(route))).toEqual([]);
  });

  it('has examples that are answered as documented', async () => {
    for (const { operation, method, path, body, success } of documentedRequests({ paths })) {
      if (operation === 'GET /tracker.js') continue; // compiled by the build, and tested with it
      const sent = request(tracker.app.getHttpServer())[method.toLowerCase() as 'get' | 'post'](inPlace(path));
      const answer = await sent.set('user-agent', BROWSER).send(body as object | undefined);
      const expected = operation === 'GET /{slug}' ? 302 : success;
      expect([operation, answer.status, answer.text]).toEqual([operation, expected, answer.text]);
      expect(violationOf(operation, answer)).toBeUndefined();
    }
  });

  it('has the refusals', async () => {
    for (const { operation, path } of documentedRequests({ paths }).filter(({ method }) => method === 'POST')) {
      const answer = await request(tracker.app.getHttpServer())
        .post(inPlace(path))
        .set('user-agent', BROWSER)
        .send([{ timestamp: {} }]);
      expect([operation, answer.status]).toEqual([operation, operation === 'POST /batch' ? 200 : 400]);
      expect(violationOf(operation, answer)).toBeUndefined();
    }
  });
});

const inPlace = (path: string): string => path.replace(/site_01\w+/, 'site_1');

const violationOf = (operation: string, answer: request.Response): string | undefined =>
  checks.violation({
    route: operation.replaceAll(/\{(\w+)\}/g, ':$1'),
    status: answer.status,
    contentType: answer.headers['content-type'] ?? '',
    body: answer.text,
  });

let tracker: RunningTracker;
let paths: Paths;
let checks: ResponseChecks;

beforeAll(async () => {
  const api = await startTestApi();
  const document = (await ask(api, 'GET /openapi.json')).body as unknown as Document & { readonly paths: Paths };
  await api.close();
  paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).filter(([, { servers }]) => servers !== undefined)),
    ]),
  );
  checks = new ResponseChecks(document);
  tracker = await startTracker();
  await tracker.registerWebsite('site_1');
  await tracker.createLink('link_1', { slug: 'spring' });
});

afterAll(() => tracker.stop());
