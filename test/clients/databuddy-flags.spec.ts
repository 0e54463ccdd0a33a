import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ask } from '../api/ask';
import { ownerWithWebsite } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';

/** The published client, unmodified, in a process of its own: it is an ES module, which jest would compile. */
describe('the flags client of @databuddy/sdk', () => {
  let api: TestApi;
  let answers: Readonly<Record<string, unknown>>;

  beforeAll(async () => {
    api = await startTestApi();
    const { organizationId, websiteId, headers } = await ownerWithWebsite(api);
    for (const flag of FLAGS) {
      const body = { organizationId, websiteId, name: 'A flag', ...flag };
      expect((await ask(api, 'POST /v1/flags', { body, headers })).status).toBe(201);
    }
    const env = { PATH: process.env.PATH, API_URL: await api.app.getUrl(), WEBSITE_ID: websiteId };
    const script = join(__dirname, 'databuddy-flags.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [script], { env });
    answers = JSON.parse(stdout.split('\n').findLast((line) => line.startsWith('{')) ?? '') as typeof answers;
  });
  afterAll(() => api.close());

  it('gets a flag as it is for a person', () => {
    const payload = { steps: 2 };
    expect(answers.rule).toEqual({ enabled: true, value: true, payload, reason: 'USER_RULE_MATCH' });
    expect(answers.other).toEqual({ ...OFF, reason: 'BOOLEAN_DEFAULT' });
    expect(answers.variant).toMatchObject({ enabled: true, value: 'blue', variant: 'b' });
  });

  it('gets all flags of its environment at once', () =>
    expect(answers.all).toMatchObject({ 'new-checkout': answers.rule, colour: answers.variant }));

  it('takes a missing flag, and every flag of an unknown website, for disabled', () => {
    expect(answers.missing).toEqual({ ...OFF, reason: 'NOT_FOUND' });
    expect(answers.unknown).toEqual({ ...OFF, reason: 'NOT_FOUND' });
  });
});

const OFF = { enabled: false, value: false, payload: null };

const FLAGS = [
  {
    key: 'new-checkout',
    environment: 'live',
    payload: { steps: 2 },
    rules: [{ attribute: 'properties.plan', operator: 'in', values: ['team', 'enterprise'], enabled: true }],
  },
  { key: 'colour', type: 'multivariant', variants: [{ key: 'b', value: 'blue', weight: 1 }] },
  { key: 'staging-only', environment: 'staging' },
];
