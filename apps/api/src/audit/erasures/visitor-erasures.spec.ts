import type { Pool } from 'pg';
import { ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { plainHash } from '@ledgerline/platform/salts/visitor-salts';
import { ask } from '@test/api/ask';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { POOL } from '../../tokens';

const VISITOR = 'ab'.repeat(16);

describe('an erasure', () => {
  let api: TestApi;
  let owner: Owner;

  beforeAll(async () => {
    api = await startTestApi({});
    owner = await ownerWithWebsite(api);
  });
  afterAll(() => api.close());

  const erase = (subject: unknown, headers: Readonly<Record<string, string>> = {}) =>
    ask(api, 'POST /v1/erasures', {
      body: { organizationId: owner.organizationId, subject },
      headers: { ...owner.headers, ...headers },
    });
  const entries = async () => {
    const path = `/v1/audit-log?organizationId=${owner.organizationId}&limit=200` as const;
    return (await ask(api, `GET ${path}`, owner)).body.data as readonly unknown[];
  };

  it('of a profile destroys its key, and names neither its id nor later profiles', async () => {
    const { websiteId } = owner;
    const profiles = api.app.get(ProfileKeys);
    const { subject: profile } = await profiles.obtain(websiteId, 'ann@example.com');
    const key = { 'idempotency-key': 'erase-ann' };
    const ann = { websiteId, profileId: 'ann@example.com' };
    const first = await erase(ann, key);
    const receipt = { subject: { websiteId, profile }, state: 'erasing', proof: { destroyedKeyIds: [profile] } };
    expect(first).toMatchObject({ status: 202, body: receipt });
    expect(await profiles.exists(websiteId, profile)).toBe(false);
    expect(await ask(api, `GET /v1/erasures/${first.body.id as string}`, owner)).toMatchObject({ body: receipt });
    const log = await entries();
    expect(log[0]).toMatchObject({ action: 'subject.erased', target: { type: 'profile', id: profile } });
    expect(JSON.stringify(log)).not.toContain('ann@');
    const again = await profiles.obtain(websiteId, 'ann@example.com');
    expect((await erase(ann, key)).body).toEqual(first.body);
    expect(await profiles.exists(websiteId, again.subject)).toBe(true);
  });

  it('of a visitor is of the id that lists show, or of all ids that can be found for an anonymous one', async () => {
    const { websiteId } = owner;
    const known = await erase({ websiteId, visitorId: VISITOR });
    expect(known).toMatchObject({
      status: 202,
      body: { subject: { websiteId, visitors: [VISITOR] }, state: 'erasing', proof: { destroyedKeyIds: [] } },
    });
    const wrong = await erase({ websiteId, visitorId: VISITOR.toUpperCase() });
    expect(wrong).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    const pool = api.app.get<Pool>(POOL);
    const today = '2026-11-30';
    const gone = '2026-11-01';
    const periods = [today, gone, '2026-11', 'stable'];
    await pool.query(
      `insert into salts (scope, period, salt, dies_at)
       select '*', period, sha256(period::bytea), case when period = $2 then now() end from unnest($1::text[]) as p (period)
       on conflict do nothing`,
      [periods, gone],
    );
    const { body } = await erase({ websiteId, anonymousId: 'anon' });
    const { visitors, reached } = body.subject as { visitors: string[]; reached: string[] };
    expect(reached).toContain(today);
    expect(reached).not.toEqual(expect.arrayContaining([gone, '2026-11', 'stable']));
    expect(visitors).toContain(plainHash('anonymous', 'anon'));
    expect(new Set(visitors).size).toBeGreaterThanOrEqual(4);
    expect(JSON.stringify(await entries())).not.toContain('anon"');
    expect((await entries())[0]).toMatchObject({
      action: 'subject.erased',
      target: { type: 'visitor', id: visitors[0] },
    });
  });

  it('of many visitors is of all or none, each with its receipt', async () => {
    const { organizationId, websiteId, headers } = owner;
    await api.app.get(ProfileKeys).obtain(websiteId, 'carl');
    const eraseAll = (subjects: readonly object[], more = {}) =>
      ask(api, 'POST /v1/erasures/bulk', { body: { organizationId, subjects }, headers: { ...headers, ...more } });
    const carl = { websiteId, profileId: 'carl' };
    const refused = await eraseAll([
      carl,
      { websiteId, profileId: 'nobody' },
      { websiteId: 'site_x', anonymousId: 'a' },
    ]);
    expect(refused).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(refused.body.details).toEqual([
      { field: 'subjects.1', message: 'Profile not found.' },
      { field: 'subjects.2', message: 'Website not found.' },
    ]);
    const subjects = [
      carl,
      ...Array.from({ length: 99 }, (_, n) => ({ websiteId, visitorId: n.toString(16).padStart(32, '0') })),
    ];
    const key = { 'idempotency-key': 'erase-all' };
    const first = await eraseAll(subjects, key);
    const data = first.body.data as { readonly id: string; readonly subject: object; readonly state: string }[];
    expect(first.status).toBe(202);
    expect(new Set(data.map(({ id }) => id)).size).toBe(100);
    expect(data[99]).toMatchObject({
      subject: { websiteId, visitors: [(98).toString(16).padStart(32, '0')] },
      state: 'erasing',
    });
    expect((await eraseAll(subjects, key)).body).toEqual(first.body);
    expect((await eraseAll([])).status).toBe(400);
    expect((await eraseAll([{ userId: owner.id }])).status).toBe(400);
  });

  it('of a profile is for those of the organization', async () => {
    const other = await ownerWithWebsite(api);
    await api.app.get(ProfileKeys).obtain(other.websiteId, 'bob');
    const asked = [
      { websiteId: other.websiteId, profileId: 'bob' },
      { websiteId: owner.websiteId, profileId: 'bob' },
    ];
    const answers = await Promise.all(asked.map((subject) => erase(subject)));
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
      [404, 'Website not found'],
      [404, 'Profile not found'],
    ]);
  });
});
