import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import request from 'supertest';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { createTracker } from '../../apps/tracker/src/create-tracker';
import { BROWSER } from '../../scripts/supervisor/screen';
import { OPERATOR } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';
import { castOf, newHouse, type Caller, type House } from './cast';

const page = { path: 'https://example.com/', anonymousId: 'a', sessionId: 's' };

/** Every route that takes events, what it takes, and what it answers to those who may send them. */
const ROUTES = [
  ['/track', { name: 'paid' }, { status: 'success', type: 'custom_event', count: 1 }],
  [
    '/batch',
    [{ name: 'screen_view', ...page }],
    expect.objectContaining({ status: 'success', processed: 1 }) as object,
  ],
  ['/', { name: 'screen_view', ...page }, { status: 'success', type: 'track' }],
  ['/vitals', [{ ...page, metricName: 'LCP', metricValue: 1 }], { status: 'success', type: 'vitals', count: 1 }],
  ['/errors', [{ ...page, message: 'It broke' }], { status: 'success', type: 'errors', count: 1 }],
  ['/engagement', [page], { status: 'success', type: 'engagement', count: 1 }],
  ['/identify', { profileId: 'ann' }, { status: 'success', type: 'identify' }],
] as const;

/** Credentials that are no key at all, which proxies in front of a page may add. */
const NO_KEYS = ['an empty key', 'a scheme we do not have', 'a good key under no scheme'];

describe.each(ROUTES)('POST %s', (path, body, accepted) => {
  it('takes events for the website from those who may send them', async () => {
    expect(await answersOf(`${path}?client_id=${ours.websiteId}`, body)).toEqual(
      expectedBy((caller) => outcomeFor(caller, { status: 200, body: accepted })),
    );
  });

  it('refuses events for a website that does not exist', async () => {
    const missing = (code: string) => ({
      ...refusal('client_id is no website', code),
      errors: [{ field: 'client_id', message: 'is no website' }],
    });
    expect(await answersOf(`${path}?client_id=site_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E`, body)).toEqual(
      expectedBy((caller) => {
        if (!isKey(caller)) return { status: 400, body: missing('VALIDATION_ERROR') };
        return mayTrack(caller) ? { status: 404, body: missing('NOT_FOUND') } : FORBIDDEN;
      }),
    );
  });
});

interface Response {
  readonly status: number;
  readonly body: unknown;
}

function outcomeFor(caller: Caller, success: Response): Response {
  const { standing } = caller;
  if (standing.as !== 'key') return success;
  if (!mayTrack(caller)) return FORBIDDEN;
  return standing.ours && standing.on !== 'another website' ? success : { status: 403, body: OUT_OF_REACH };
}

const isKey = ({ standing }: Caller): boolean => standing.as === 'key';

const mayTrack = ({ standing }: Caller): boolean => standing.as === 'key' && standing.scopes.includes('track:events');

const isWrong = ({ name, standing }: Caller): boolean => standing.as === 'wrong credential' && !NO_KEYS.includes(name);

const expectedBy = (expected: (caller: Caller) => Response) =>
  Object.fromEntries(cast.map((caller) => [caller.name, isWrong(caller) ? UNAUTHENTICATED : expected(caller)]));

async function answersOf(path: string, body: object): Promise<Readonly<Record<string, Response>>> {
  const answers: Record<string, Response> = {};
  for (const { name, headers } of cast) answers[name] = await post(path, headers, body);
  return answers;
}

async function post(path: string, headers: Readonly<Record<string, string>>, body: object): Promise<Response> {
  const sent = request(tracker.getHttpServer())
    .post(path)
    .set({ 'user-agent': BROWSER, ...headers });
  const response = await sent.send(body);
  const { status, headers: received } = response;
  const { requestId, ...rest } = response.body as Readonly<Record<string, unknown>>;
  if (status >= 400) expect(requestId).toBe(received['x-request-id']);
  if (status === 401) expect(received['www-authenticate']).toMatch(/^Bearer/);
  return { status, body: rest };
}

const refusal = (error: string, code: string) => ({ success: false, status: 'error', error, message: error, code });

const UNAUTHENTICATED = { status: 401, body: refusal('Authentication required', 'AUTH_REQUIRED') };
const FORBIDDEN = { status: 403, body: refusal('Insufficient permissions', 'FORBIDDEN') };
const OUT_OF_REACH = {
  ...FORBIDDEN.body,
  errors: [{ index: 0, field: 'websiteId', message: 'is not within the permissions of the key' }],
};

let api: TestApi;
let tracker: NestFastifyApplication;
let ours: House;
let cast: readonly Caller[];

beforeAll(async () => {
  api = await startTestApi({
    LIMIT_API_PER_MINUTE: '100000',
    OPERATOR_EMAILS: OPERATOR,
    LIMIT_FAILED_AUTH_PER_MINUTE: '100000',
    LIMIT_REQUESTS_PER_WEBSITE_AND_IP_PER_MINUTE: '100000',
  });
  tracker = await createTracker(api.settings, createLogger('tracker', 'fatal'));
  await tracker.listen(0, '127.0.0.1');
  ours = await newHouse(api);
  cast = await castOf(api, ours);
});

afterAll(async () => {
  await tracker.close();
  await api.close();
});
