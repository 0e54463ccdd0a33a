import type { Pool } from 'pg';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { ask } from '@test/api/ask';
import { readAuditLog } from '@test/api/audit-log';
import { ok } from '@test/api/every-change';
import { colleague, newKey, ownerWithWebsite, type Owner, type Person } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { alertDecided } from '@test/events/alert-decided';
import { pageView } from '@test/events/observed-events';
import { type SmtpServer, startSmtpServer } from '@test/mail/smtp-server';
import { projectInto, type DirectProjector } from '@test/query/projected-database';
import { Housekeeping } from '../operations/housekeeping';
import { POOL } from '../tokens';

type Body = Readonly<Record<string, unknown>>;

describe('an alert', () => {
  it('is created, listed, changed and deleted, with its rule as a sentence', async () => {
    const { id } = await create({ filters: [{ field: 'country', op: 'eq', value: 'DE' }] });
    expect(await read(id)).toMatchObject({
      sentence: 'Page views of the last hour above 10, where country is DE',
      state: 'waiting',
      lastDecision: null,
      author: { type: 'user', id: owner.id },
    });
    const changed = await ok(api, `PATCH /v1/alerts/${id}`, { ...owner, body: { threshold: 20, enabled: false } });
    expect(changed.body).toMatchObject({ threshold: 20, state: 'paused', pausedFor: null });
    const list = await ok(
      api,
      `GET /v1/alerts?organizationId=${owner.organizationId}&websiteId=${owner.websiteId}`,
      owner,
    );
    expect((list.body.data as Body[]).map((each) => each['id'])).toContain(id);
    await ok(api, `DELETE /v1/alerts/${id}`, owner);
    const actions = (await readAuditLog(api, owner, { targetId: id })).map(({ action }) => action);
    expect(actions).toEqual(['alert.deleted', 'alert.updated', 'alert.created']);
  });

  it.each([
    [{ figure: 'page_views' }, 'figure'],
    [{ window: { minutes: 45 } }, 'window.minutes'],
    [{ figure: 'visitors', window: { minutes: 15 } }, 'window'],
    [{ compare: 'changed' }, 'threshold'],
    [{ figure: 'conversions', goalId: 'goal_none' }, 'goalId'],
    [{ segment: 'seg_none' }, 'segment'],
    [{ filters: [{ field: 'metric_name', op: 'eq', value: 'LCP' }] }, 'filters[0]'],
    [{ quietHours: { from: '7', to: '08:00' } }, 'quietHours.from'],
    [{ destinationIds: ['dst_none'] }, 'destinationIds[0]'],
  ])('is refused with %j, and so is its trial', async (more, field) => {
    for (const path of ['/v1/alerts', '/v1/alerts/trial']) {
      const { status, body } = await ask(api, `POST ${path}`, { ...owner, body: bodyOf(more) });
      expect([path, status, (body.details as Body[] | undefined)?.map((each) => each['field'])]).toEqual([
        path,
        400,
        [field],
      ]);
    }
  });

  it('is refused with a segment about what visitors did', async () => {
    const did = [{ condition: { kind: 'page' }, within: 'session' }];
    const { organizationId } = owner;
    const sent = { ...owner, body: { organizationId, name: 'Deeds', did } };
    const { id: segment } = (await ok(api, 'POST /v1/segments', sent)).body;
    const { status, text } = await ask(api, 'POST /v1/alerts', { ...owner, body: bodyOf({ segment }) });
    expect([status, text]).toEqual([400, expect.stringContaining('take one of filters alone')]);
  });

  it('lists what it told, with the figures of today', async () => {
    const { id, revision } = await create({ threshold: 1 });
    const { organizationId, websiteId } = owner;
    const to = Date.now() - 7_200_000;
    const of = { organizationId, websiteId, revision };
    await projector.send(
      websiteId,
      [2, 3, 4].map((minute) => pageView(to - minute * 60_000, { organizationId, websiteId })),
    );
    await projector.send(id, [
      alertDecided(id, to, { ...of, figure: 2 }),
      alertDecided(id, to, { ...of, outcome: 'quiet', figure: null, windows: 20 }),
      alertDecided(id, to - 1, { ...of, revision: of.revision - 1, outcome: 'over', figure: 9 }),
    ]);
    const { body } = await ok(api, `GET /v1/alerts/${id}/decisions`, owner);
    const [first, second, ...others] = body.data as Body[];
    expect(first).toMatchObject({ outcome: 'fired', to: new Date(to).toISOString(), figure: 2, figureNow: 3 });
    expect(second).toMatchObject({ outcome: 'over', figure: 9, figureNow: null });
    expect([others, body.total, body.changedLater]).toEqual([[], 2, 1]);
    expect(await read(id)).toMatchObject({ lastDecision: { outcome: 'fired', figure: 2 } });
    const before = await ok(api, `GET /v1/alerts/${id}/decisions?before=${new Date(to).toISOString()}`, owner);
    expect((before.body.data as Body[]).map((each) => each['outcome'])).toEqual(['over']);
  });
});

describe('the destinations of an alert', () => {
  it('are for members and keys those that an admin opened, and about the website for everybody', async () => {
    const closed = await destination({});
    const opened = await destination({ openToMembers: true });
    const elsewhere = await destination({ openToMembers: true, websiteIds: ['site_other'] });
    const key = await newKey(api, owner, { scopes: ['read:data', 'write:data'] });
    const statusFor = async (who: { headers: Readonly<Record<string, string>> }, id: string) =>
      (await ask(api, 'POST /v1/alerts', { ...who, body: bodyOf({ destinationIds: [id] }) })).status;
    for (const who of [member, { headers: { 'x-api-key': key } }])
      expect([await statusFor(who, opened), await statusFor(who, closed), await statusFor(who, elsewhere)]).toEqual([
        201, 403, 400,
      ]);
    expect([await statusFor(owner, closed), await statusFor(owner, elsewhere)]).toEqual([201, 400]);
  });

  it('are not taken over with the alert of an admin', async () => {
    const { id } = await create({ destinationIds: [await destination({})] });
    const change = { ...member, body: { threshold: 1 } };
    expect((await ask(api, `PATCH /v1/alerts/${id}`, change)).status).toBe(403);
    const emptied = await ok(api, `PATCH /v1/alerts/${id}`, { ...member, body: { destinationIds: [] } });
    expect(emptied.body).toMatchObject({ author: { type: 'user', id: member.id } });
  });
});

describe('an alert is paused', () => {
  it('when its author may not send it any more, until somebody enables it who may', async () => {
    const opened = await destination({ openToMembers: true });
    const made = await ok(api, 'POST /v1/alerts', { ...member, body: bodyOf({ destinationIds: [opened] }) });
    const id = String(made.body.id);
    await sweep();
    expect(await read(id)).toMatchObject({ enabled: true });
    await ok(api, `PATCH /v1/destinations/${opened}`, { ...owner, body: { openToMembers: false } });
    await sweep();
    await sweep();
    expect(await read(id)).toMatchObject({ enabled: false, state: 'paused', pausedFor: 'rights' });
    expect(await ask(api, `PATCH /v1/alerts/${id}`, { ...member, body: { enabled: true } })).toMatchObject({
      status: 403,
    });
    const enabled = await ok(api, `PATCH /v1/alerts/${id}`, { ...owner, body: { enabled: true } });
    expect(enabled.body).toMatchObject({ enabled: true, pausedFor: null, author: { id: owner.id } });
    const [, paused] = await readAuditLog(api, owner, { targetId: id });
    expect(paused).toMatchObject({ action: 'alert.paused', actor: { type: 'system' } });
  });

  it('when its author leaves, or its goal is deleted', async () => {
    const leaver = await colleague(api, owner, 'member');
    const { id } = (await ok(api, 'POST /v1/alerts', { ...leaver, body: bodyOf({}) })).body as { id: string };
    const goal = {
      organizationId: owner.organizationId,
      websiteId: owner.websiteId,
      name: 'Seen',
      condition: { kind: 'page' },
    };
    const goalId = (await ok(api, 'POST /v1/goals', { ...owner, body: goal })).body.id;
    const other = await create({ figure: 'conversions', goalId });
    await ok(api, `DELETE /v1/organizations/${owner.organizationId}/members/${leaver.id}`, owner);
    await ok(api, `DELETE /v1/goals/${String(goalId)}`, owner);
    await sweep();
    expect([await read(id), await read(other.id)]).toMatchObject([{ pausedFor: 'rights' }, { pausedFor: 'goal' }]);
    const written = sql`select user_id as "userId", subject, body from delivery_notices where body like ${`%${id}%`}`;
    expect(await run(api.app.get<Pool>(POOL), written)).toMatchObject([
      {
        userId: owner.id,
        subject: expect.stringMatching(/: alerts are paused$/) as string,
        body: expect.stringContaining(other.id) as string,
      },
    ]);
  });
});

let names = 0;

const bodyOf = (more: object) => ({
  organizationId: owner.organizationId,
  websiteId: owner.websiteId,
  name: `Alert ${++names}`,
  figure: 'pageviews',
  window: { minutes: 60 },
  compare: 'above',
  threshold: 10,
  ...more,
});

const create = async (more: object) =>
  (await ok(api, 'POST /v1/alerts', { ...owner, body: bodyOf(more) })).body as { id: string; revision: number };
const read = async (id: string) => (await ok(api, `GET /v1/alerts/${id}`, owner)).body;

async function destination(more: object): Promise<string> {
  const url = 'https://hooks.invalid/';
  const { organizationId } = owner;
  const body = { organizationId, name: `Destination ${++names}`, kind: 'webhook', url, ...more };
  return (await ok(api, 'POST /v1/destinations', { ...owner, body })).body.id as string;
}

const sweep = () => api.app.get(Housekeeping).sweep();

let api: TestApi;
let smtp: SmtpServer;
let owner: Owner;
let member: Person;
let projector: DirectProjector;

beforeAll(async () => {
  smtp = await startSmtpServer();
  api = await startTestApi({ SMTP_URL: smtp.url, MAIL_FROM: 'stats@example.com' });
  projector = await projectInto(api.settings.databaseUrl, []);
  owner = await ownerWithWebsite(api);
  member = await colleague(api, owner, 'member');
});

afterAll(async () => {
  await projector.close();
  await api.close();
  await smtp.close();
});
