import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Pool } from 'pg';
import { ask, type Answer } from '@test/api/ask';
import { readAuditLog } from '@test/api/audit-log';
import { ok } from '@test/api/every-change';
import { colleague, newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { monitorCheck } from '@test/monitors/random-checks';
import { projectInto, type DirectProjector } from '@test/query/projected-database';
import { rowsOf } from '@test/query/query-api';
import { POOL } from '../../tokens';

const HOUR = 3_600_000;
/** As everybody may ask public types of a public website. */
const REFUSED = { parameter: 'annotations', success: false, data: [] };
const SECRET = 'token=SECRET';

describe('the query type annotations', () => {
  it('lists what was noted and what the audit log knows, by time and then id', async () => {
    const rows = rowsOf(await asked(headers));
    expect(rows).toEqual(await naiveRows());
    expect(rows.map(({ kind, text, subject }) => [kind, text, subject])).toEqual([
      ['note', 'Lasts into the range', null],
      ['monitor_down', 'Monitor Door went down', ids.monitor],
      ['monitor_up', 'Monitor Door is up again', ids.monitor],
      ['note', 'Of the shop', owner.websiteId],
      ['deploy', 'Version 2', owner.websiteId],
      ...CHANGES().map(([kind, text, subject]) => [kind, text, subject]),
    ]);
    expect(JSON.stringify(rows)).not.toContain('SECRET');
  });

  it('pages, counts and sorts them, and the newest first where asked', async () => {
    const all = rowsOf(await asked(headers));
    const second = await asked(headers, { limit: 3, page: 2 });
    expect(rowsOf(second)).toEqual(all.slice(3, 6));
    expect(second.body.meta).toMatchObject({ totals: { annotations: all.length }, notes: [] });
    const newest = rowsOf(await asked(headers, { limit: 2, sortBy: 'at', sortOrder: 'desc' }));
    expect(newest).toEqual(all.toReversed().slice(0, 2));
  });

  it('has the beginning of a day of the website, and not its end', async () => {
    const website = {
      organizationId: owner.organizationId,
      name: 'Far',
      domain: 'far.example',
      timezone: 'Pacific/Auckland',
    };
    const { id } = (await ok(api, 'POST /v1/websites', { body: website, headers })).body;
    const note = (text: string, times: object) =>
      ok(api, 'POST /v1/annotations', {
        body: { organizationId: owner.organizationId, websiteId: id, text, ...times },
        headers,
      });
    await note('first', { at: '2026-01-09T11:00:00Z' });
    await note('before', { at: '2026-01-09T10:59:59.999Z' });
    await note('last', { at: '2026-01-10T10:59:59.999Z' });
    await note('after', { at: '2026-01-10T11:00:00Z' });
    await note('ended', { from: '2026-01-08T00:00:00Z', to: '2026-01-09T11:00:00Z' });
    await note('into', { from: '2026-01-08T00:00:00Z', to: '2026-01-09T11:00:00.001Z' });
    await note('begins after', { from: '2026-01-10T11:00:00Z', to: '2026-01-11T00:00:00Z' });
    const day = { parameters: ['annotations'], startDate: '2026-01-10', endDate: '2026-01-10' };
    const answer = await ask(api, `POST /v1/query?website_id=${String(id)}`, { body: day, headers });
    expect(rowsOf(answer).map(({ text }) => text)).toEqual(['into', 'first', 'last']);
  });

  it('has changes of the target of a link, what was noted of it, and nothing else', async () => {
    const answer = await ask(api, `POST /v1/query?link_id=${ids.link}`, { body: WISH(), headers });
    expect(rowsOf(answer).map(({ kind, text }) => [kind, text])).toEqual([
      ['note', 'Lasts into the range'],
      ['note', 'Printed'],
      [
        'link_target_changed',
        'Target of the link Poster changed from https://example.com/old to https://example.com/new',
      ],
    ]);
  });

  it('shows a key what it may read', async () => {
    const kinds = async (grants: object) =>
      [
        ...new Set(rowsOf(await asked({ 'x-api-key': await newKey(api, owner, grants) })).map(({ kind }) => kind)),
      ].sort();
    const ofWebsite = { resources: { [`website:${owner.websiteId}`]: [] } };
    expect(await kinds({ scopes: ['read:data'], ...ofWebsite })).toEqual(['deploy', 'note', 'website_changed']);
    expect(await kinds({ scopes: ['read:data', 'manage:flags'], ...ofWebsite })).toEqual([
      ...['deploy', 'flag_changed', 'note', 'website_changed'],
    ]);
    expect(await kinds({ scopes: ['read:data'] })).toEqual([
      ...['deploy', 'incident_opened', 'incident_resolved', 'link_target_changed'],
      ...['monitor_down', 'monitor_up', 'note', 'website_changed'],
    ]);
    const limited = await newKey(api, owner, { scopes: ['read:data', 'manage:flags'], ...ofWebsite });
    const seen = rowsOf(await asked({ 'x-api-key': limited })).map(({ text }) => text);
    expect(seen).not.toContain('Lasts into the range');
    expect(seen).toContain('Flag own created: active');
    expect(seen).not.toContain('Flag everywhere created: active');
    const elsewhere = { scopes: ['read:data'], resources: { [`website:${ids.other}`]: [] } };
    const refused = await asked({ 'x-api-key': await newKey(api, owner, elsewhere) });
    expect(refused.body.data).toMatchObject([REFUSED]);
  });

  it('shows members all of it, and nobody else anything, also of a public website', async () => {
    const member = await colleague(api, owner, 'member');
    expect(rowsOf(await asked(member.headers))).toEqual(rowsOf(await asked(headers)));
    const stranger = await ownerWithWebsite(api);
    for (const sent of [{}, stranger.headers]) expect((await asked(sent)).body.data).toMatchObject([REFUSED]);
  });

  it('takes no filters, and is about no monitor', async () => {
    const filters = [{ field: 'country', op: 'eq', value: 'DE' }];
    expect((await asked(headers, { filters })).body.data).toMatchObject([
      { success: false, error: 'annotations has no filter country; it has none.' },
    ]);
    const answer = await ask(api, `POST /v1/query?monitor_id=${ids.monitor}`, { body: WISH(), headers });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'parameters[0]' }] } });
  });

  it('lists the newest where there are too many changes, and says so', async () => {
    const { organizationId, websiteId, headers: own } = await ownerWithWebsite(api);
    await projector.catchUp();
    const pool = api.app.get<Pool>(POOL);
    const day = '2026-01-10';
    const add = (n: number) =>
      run(
        pool,
        sql`insert into registry_v1.happenings (id, organization_id, at, kind, website_id, subject, text)
          select 'event ' || n, ${organizationId}, ${`${day}T12:00:00Z`}::timestamptz + n * interval '1 second',
            'website_changed', ${websiteId}, ${websiteId}, 'Change ' || n from generate_series(${n}::int, 1000) n`,
      );
    const answer = () => {
      const body = { parameters: ['annotations'], startDate: day, endDate: day, limit: 2 };
      return ask(api, `POST /v1/query?website_id=${websiteId}`, { body, headers: own });
    };
    await add(1);
    expect((await answer()).body.meta).toMatchObject({ totals: { annotations: 1_000 }, notes: [] });
    await run(pool, sql`delete from registry_v1.happenings where organization_id = ${organizationId}`);
    await add(0);
    const cut = await answer();
    expect(rowsOf(cut).map(({ text }) => text)).toEqual(['Change 1', 'Change 2']);
    expect(cut.body.meta).toMatchObject({
      totals: { annotations: 1_000 },
      notes: ['parameters[0] (annotations): Of the changes in the range the newest 1000 are listed.'],
    });
  });
});

let api: TestApi;
let projector: DirectProjector;
let owner: Owner;
let headers: Owner['headers'];
let now: number;
const ids = { link: '', monitor: '', incident: '', own: '', everywhere: '', other: '' };

/** From two days ago to tomorrow, in UTC, which are the website's days. */
const WISH = (more: object = {}) => ({
  parameters: ['annotations'],
  startDate: dayOf(now - 48 * HOUR),
  endDate: dayOf(now + 24 * HOUR),
  ...more,
});

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

const asked = (sent: Readonly<Record<string, string>>, more: object = {}): Promise<Answer> =>
  ask(api, `POST /v1/query?website_id=${owner.websiteId}`, { body: WISH(more), headers: sent });

/** What the commands did, in their order: kind, text, subject and the action in the audit log. */
const CHANGES = () =>
  [
    [
      ...[
        'link_target_changed',
        'Target of the link Poster changed from https://example.com/old to https://example.com/new',
      ],
      ...[ids.link, 'link.updated'],
    ],
    ['flag_changed', 'Flag own created: active', ids.own, 'flag.created'],
    ['flag_changed', 'Flag own changed: status from active to inactive', ids.own, 'flag.updated'],
    ['flag_changed', 'Flag everywhere created: active', ids.everywhere, 'flag.created'],
    [
      ...['website_changed', 'Settings of the website Shop changed: is public from false to true'],
      ...[owner.websiteId, 'website.updated'],
    ],
    ['incident_opened', 'Incident opened: Orders fail', ids.incident, 'incident.created'],
    ['incident_resolved', 'Incident resolved: Orders fail', ids.incident, 'incident.updated'],
  ] as const;

/** The same rows out of the annotations, the checks that were sent and the audit log, which reads the event store. */
async function naiveRows(): Promise<readonly object[]> {
  const rows: Record<string, string | null>[] = [];
  const { organizationId } = owner;
  const notes = await ok(api, `GET /v1/annotations?organizationId=${organizationId}`, { headers });
  for (const note of notes.body.data as Record<string, string | null>[]) {
    if (note.linkId !== null || (note.websiteId !== null && note.websiteId !== owner.websiteId)) continue;
    const at = note.at ?? note.from ?? '';
    const isIn = note.to ? note.to > `${dayOf(now - 48 * HOUR)}T` : at >= `${dayOf(now - 48 * HOUR)}T`;
    if (!isIn) continue;
    const subject = note.websiteId ?? null;
    rows.push({ at, until: note.to ?? null, kind: note.kind ?? 'note', text: note.text!, id: note.id!, subject });
  }
  const [down, up] = [now - 30 * HOUR, now - 29 * HOUR].map((time) => new Date(time).toISOString());
  const subject = ids.monitor;
  rows.push(
    {
      at: down!,
      until: up!,
      kind: 'monitor_down',
      text: 'Monitor Door went down',
      id: `${subject}_monitor_down_${now - 30 * HOUR}`,
      subject,
    },
    {
      at: up!,
      until: null,
      kind: 'monitor_up',
      text: 'Monitor Door is up again',
      id: `${subject}_monitor_up_${now - 29 * HOUR}`,
      subject,
    },
  );
  const entries = (await readAuditLog(api, owner)).toReversed();
  for (const [kind, text, id, action] of CHANGES()) {
    const at = entries.findIndex(
      (entry) => entry.action === action && entry.target.id === id && !('externalId' in entry.changes),
    );
    if (at < 0) throw new Error(`The audit log has no ${action}.`);
    const [entry] = entries.splice(at, 1);
    rows.push({ at: entry!.recordedAt, until: null, kind, text, id: entry!.id, subject: id });
  }
  return rows.sort((a, b) => (`${a.at} ${a.id}` < `${b.at} ${b.id}` ? -1 : 1));
}

async function created(path: string, body: object): Promise<string> {
  const { organizationId } = owner;
  return (await ok(api, `POST ${path}`, { body: { organizationId, ...body }, headers })).body.id as string;
}

async function changed(path: string, body: object): Promise<void> {
  await ok(api, `PATCH ${path}`, { body, headers });
}

beforeAll(async () => {
  api = await startTestApi({ LIMIT_API_PER_MINUTE: '10000' });
  projector = await projectInto(api.settings.databaseUrl, []);
  owner = await ownerWithWebsite(api);
  headers = owner.headers;
  now = Date.now();
  const iso = (time: number) => new Date(time).toISOString();
  const { websiteId, organizationId } = owner;
  ids.other = await created('/v1/websites', { name: 'Other', domain: 'other.example' });
  ids.link = await created('/v1/links', { name: 'Poster', targetUrl: `https://example.com/old?${SECRET}` });
  ids.monitor = await created('/v1/monitors', { name: 'Door', url: 'https://example.com/' });
  await created('/v1/annotations', { text: 'Of the shop', at: iso(now - 3 * HOUR), websiteId });
  await created('/v1/annotations', { text: 'Version 2', at: iso(now - 2 * HOUR), websiteId, kind: 'deploy' });
  await created('/v1/annotations', { text: 'Of the other', at: iso(now - 2 * HOUR), websiteId: ids.other });
  await created('/v1/annotations', { text: 'Printed', at: iso(now - 2 * HOUR), linkId: ids.link });
  await created('/v1/annotations', { text: 'Long ago', at: iso(now - 100 * HOUR), websiteId });
  await created('/v1/annotations', { text: 'Lasts into the range', from: iso(now - 100 * HOUR), to: iso(now) });
  await changed(`/v1/links/${ids.link}`, { targetUrl: `https://example.com/new?${SECRET}` });
  await changed(`/v1/links/${ids.link}`, { externalId: 'x' });
  ids.own = await created('/v1/flags', { websiteId, key: 'own', name: 'Own', type: 'boolean' });
  await changed(`/v1/flags/${ids.own}`, { status: 'inactive' });
  await created('/v1/flags', { websiteId: ids.other, key: 'theirs', name: 'Theirs', type: 'boolean' });
  ids.everywhere = await created('/v1/flags', { key: 'everywhere', name: 'Everywhere', type: 'boolean' });
  await changed(`/v1/websites/${websiteId}`, { isPublic: true });
  await changed(`/v1/websites/${ids.other}`, { name: 'Else' });
  const page = await created('/v1/status-pages', { slug: 'history-page', name: 'Shop' });
  const incident = { title: 'Orders fail', severity: 'major', message: 'Looking.' };
  ids.incident = await created(`/v1/status-pages/${page}/incidents`, { ...incident, organizationId: undefined });
  await changed(`/v1/status-pages/${page}/incidents/${ids.incident}`, {
    update: { status: 'resolved', message: 'Over.' },
  });
  const checks = [-31, -30, -29.5, -29].map((hours) =>
    monitorCheck(ids.monitor, now + hours * HOUR, {
      organizationId,
      up: hours === -31 || hours === -29,
      intervalSeconds: 1_800,
    }),
  );
  await projector.send(ids.monitor, checks);
  await projector.catchUp();
}, 60_000);

afterAll(async () => {
  await projector.close();
  await api.close();
});
