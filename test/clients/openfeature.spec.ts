import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolloutBucket } from '@ledgerline/domain/flags/variant-ranges';
import { ask } from '../api/ask';
import { newKey, ownerWithWebsite } from '../api/people';
import { startTestApi, type TestApi } from '../api/test-api';

/** More than an address may ask for in a minute: the provider sends a key. */
const PEOPLE = 700;
const PERCENTAGE = 25;

/** The published providers, unmodified, in a process of its own, as they change global state. */
describe('the OFREP providers of OpenFeature', () => {
  let api: TestApi;
  let answers: Readonly<Record<string, unknown>>;

  beforeAll(async () => {
    api = await startTestApi();
    const owner = await ownerWithWebsite(api);
    const { organizationId, websiteId, headers } = owner;
    for (const flag of FLAGS) {
      const body = { organizationId, websiteId, name: 'A flag', ...flag };
      expect((await ask(api, 'POST /v1/flags', { body, headers })).status).toBe(201);
    }
    const env = {
      PATH: process.env.PATH,
      API_URL: await api.app.getUrl(),
      WEBSITE_ID: websiteId,
      API_KEY: await newKey(api, owner, { scopes: ['read:data'] }),
      PEOPLE: String(PEOPLE),
    };
    const script = join(__dirname, 'openfeature.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [script], { env });
    answers = JSON.parse(stdout) as typeof answers;
  });
  afterAll(() => api.close());

  it('get booleans with the reason and the payload', () => {
    const flagMetadata = { enabled: true, payload: '{"steps":2}' };
    expect(answers.rule).toMatchObject({ value: true, reason: 'TARGETING_MATCH', flagMetadata });
    expect(answers.other).toMatchObject({ value: false, reason: 'STATIC', flagMetadata: { enabled: false } });
  });

  it('get texts, numbers and objects as variants', () => {
    const chosen = { reason: 'SPLIT', variant: 'only' };
    expect(answers.text).toMatchObject({ ...chosen, value: 'blue' });
    expect(answers.number).toMatchObject({ ...chosen, value: 4 });
    expect(answers.object).toMatchObject({ ...chosen, value: { columns: [1, 2] } });
  });

  it('take their own default, with the code of what failed', () => {
    const failed = { value: true, reason: 'ERROR' };
    expect(answers.missing).toMatchObject({ ...failed, errorCode: 'FLAG_NOT_FOUND' });
    expect(answers.mistyped).toMatchObject({ ...failed, errorCode: 'TYPE_MISMATCH' });
  });

  it('get a flag for nobody in particular, and for values that nothing can be compared with', () => {
    expect(answers.nobody).toMatchObject({ value: false, reason: 'STATIC' });
    expect(answers.odd).toMatchObject({ value: true, reason: 'TARGETING_MATCH' });
  });

  it('of pages get the flags of each person, not those of the one before', () => {
    const on = { value: true, reason: 'TARGETING_MATCH' };
    const off = { value: false, reason: 'STATIC' };
    expect(answers.page).toMatchObject([on, off, on, off]);
  });

  it('roll a flag out to exactly those in its buckets, with a key to more people than an address may ask for', () => {
    const people = Array.from({ length: PEOPLE }, (_, n) => n);
    const expected = people.filter((n) => rolloutBucket('quarter', `u${n}`) < (PERCENTAGE / 100) * 2 ** 32);
    expect(expected.length).toBeGreaterThan(100);
    expect(answers.included).toEqual(expected);
  });

  it('get all flags at once, and nothing more while they are the same', () => {
    const keys = ['colour', 'layout', 'new-checkout', 'quarter', 'size'].map(
      (key) => expect.objectContaining({ key }) as object,
    );
    expect(answers.all).toEqual({ flags: keys, again: { status: 304, value: null } });
  });
});

const variants = (value: unknown) => ({ type: 'multivariant', variants: [{ key: 'only', value, weight: 1 }] });

const FLAGS = [
  {
    key: 'new-checkout',
    payload: { steps: 2 },
    rules: [{ attribute: 'properties.plan', operator: 'in', values: ['team', 'enterprise'], enabled: true }],
  },
  { key: 'colour', ...variants('blue') },
  { key: 'size', ...variants(4) },
  { key: 'layout', ...variants({ columns: [1, 2] }) },
  { key: 'quarter', type: 'rollout', rollout: { percentage: PERCENTAGE, by: 'user' } },
];
