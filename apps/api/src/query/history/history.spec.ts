import type { Pool } from 'pg';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { ask } from '@test/api/ask';
import { ok } from '@test/api/every-change';
import { colleague, newKey, ownerWithWebsite, type Owner } from '@test/api/people';
import type { TestApi } from '@test/api/test-api';
import { alertDecided } from '@test/events/alert-decided';
import { HistoryScene } from '@test/history/history-scene';
import { connectAgent } from '@test/mcp/agent';
import { rowsOf } from '@test/query/query-api';
import { POOL } from '../../tokens';

/** As everybody may ask public types of a public website. */
const REFUSED = { parameter: 'annotations', success: false, data: [] };

describe('the query type annotations', () => {
  it('lists what was noted and what the audit log knows, by time and then id', async () => {
    const rows = rowsOf(await scene.asked(headers));
    expect(rows).toEqual(await scene.naiveRows());
    expect(rows.map(({ kind, text, subject }) => [kind, text, subject])).toEqual([
      ['note', 'Lasts into the range', null],
      ['monitor_down', 'Monitor Door went down', ids.monitor],
      ['monitor_up', 'Monitor Door is up again', ids.monitor],
      ['note', 'Of the shop', owner.websiteId],
      ['deploy', 'Version 2', owner.websiteId],
      ...scene.changes.map(([kind, text, subject]) => [kind, text, subject]),
    ]);
    expect(JSON.stringify(rows)).not.toContain('SECRET');
  });

  it('pages, counts and sorts them, and the newest first where asked', async () => {
    const all = rowsOf(await scene.asked(headers));
    const second = await scene.asked(headers, { limit: 3, page: 2 });
    expect(rowsOf(second)).toEqual(all.slice(3, 6));
    expect(second.body.meta).toMatchObject({ totals: { annotations: all.length }, notes: [] });
    const newest = rowsOf(await scene.asked(headers, { limit: 2, sortBy: 'at', sortOrder: 'desc' }));
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
    const answer = await ask(api, `POST /v1/query?link_id=${ids.link}`, { body: scene.wish(), headers });
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
        ...new Set(
          rowsOf(await scene.asked({ 'x-api-key': await newKey(api, owner, grants) })).map(({ kind }) => kind),
        ),
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
    const seen = rowsOf(await scene.asked({ 'x-api-key': limited })).map(({ text }) => text);
    expect(seen).not.toContain('Lasts into the range');
    expect(seen).toContain('Flag own created: active');
    expect(seen).not.toContain('Flag everywhere created: active');
    const elsewhere = { scopes: ['read:data'], resources: { [`website:${ids.other}`]: [] } };
    const refused = await scene.asked({ 'x-api-key': await newKey(api, owner, elsewhere) });
    expect(refused.body.data).toMatchObject([REFUSED]);
  });

  it('shows members all of it, and callers without access nothing, also of a public website', async () => {
    const member = await colleague(api, owner, 'member');
    expect(rowsOf(await scene.asked(member.headers))).toEqual(rowsOf(await scene.asked(headers)));
    const stranger = await ownerWithWebsite(api);
    for (const sent of [{}, stranger.headers]) expect((await scene.asked(sent)).body.data).toMatchObject([REFUSED]);
  });

  it('is what the tool list_annotations lists, also of a link, and of all of the organization', async () => {
    const key = await newKey(api, owner, { scopes: ['read:data', 'manage:flags'] });
    const agent = await connectAgent(api, key);
    const { parameters: _, ...range } = scene.wish();
    const listed = async (more: object) => (await agent.call('list_annotations', { limit: 50, ...more })).annotations;
    const rows = rowsOf(await scene.asked({ 'x-api-key': key }));
    expect(await listed({ ...range, websiteId: owner.websiteId })).toEqual(rows);
    expect(await listed({ linkId: ids.link, search: 'poster' })).toMatchObject([{ kind: 'link_target_changed' }]);
    const all = (await listed(range)) as Record<string, unknown>[];
    expect(all).toEqual(expect.arrayContaining([...rows]));
    expect(all.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['Printed', 'Of the other', 'Flag theirs created: active']),
    );
    expect(await agent.refused('list_annotations', { websiteId: 'site_none' })).toMatchObject({ code: 'FORBIDDEN' });
    await agent.close();
  });

  it('has what alerts of the website told, until it was over, for who may read them', async () => {
    const { organizationId, websiteId, headers: own } = await ownerWithWebsite(api);
    const created = async (path: string, body: object) =>
      String((await ok(api, `POST ${path}`, { body: { organizationId, ...body }, headers: own })).body.id);
    const rule = { figure: 'pageviews', window: { minutes: 60 }, compare: 'above', threshold: 3 };
    const id = await created('/v1/alerts', { ...rule, websiteId, name: 'Crowded' });
    const elsewhere = await created('/v1/websites', { name: 'Other', domain: 'other.example' });
    const other = await created('/v1/alerts', { ...rule, websiteId: elsewhere, name: 'Elsewhere' });
    const noon = Date.parse('2026-01-10T12:00:00Z');
    const told = (alert: string, hours: number, more: object) =>
      scene.projector.send(alert, [alertDecided(alert, noon + hours * 3_600_000, { organizationId, ...more })]);
    await told(id, -48, { figure: 5 });
    await told(id, -11, { outcome: 'over' });
    await told(id, 0, { figure: 2_513.333, usual: 40 });
    await told(id, 1, { outcome: 'blind', figure: null });
    await told(other, 0, {});
    const body = { parameters: ['annotations'], startDate: '2026-01-10', endDate: '2026-01-10' };
    const asked = (who: Readonly<Record<string, string>>) =>
      ask(api, `POST /v1/query?website_id=${websiteId}`, { body, headers: who });
    const rows = rowsOf(await asked(own));
    expect(rows.map(({ kind, text, at, until, subject }) => [kind, text, at, until, subject])).toEqual([
      ['alert_fired', 'Crowded: 5', '2026-01-08T12:00:00.000Z', '2026-01-10T01:00:00.000Z', websiteId],
      ['alert_fired', 'Crowded: 2513.33, usual 40', '2026-01-10T12:00:00.000Z', null, websiteId],
    ]);
    const owned = { ...owner, organizationId, websiteId, headers: own };
    const key = await newKey(api, owned, {
      scopes: ['read:data'],
      resources: { [`website:${websiteId}`]: [] },
    });
    expect(rowsOf(await asked({ 'x-api-key': key }))).toEqual(rows);
  });

  it('takes no filters, and is about no monitor', async () => {
    const filters = [{ field: 'country', op: 'eq', value: 'DE' }];
    expect((await scene.asked(headers, { filters })).body.data).toMatchObject([
      { success: false, error: 'annotations has no filter country; it has none.' },
    ]);
    const answer = await ask(api, `POST /v1/query?monitor_id=${ids.monitor}`, { body: scene.wish(), headers });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'parameters[0]' }] } });
  });

  it('lists the newest where there are too many changes, and says so', async () => {
    const { organizationId, websiteId, headers: own } = await ownerWithWebsite(api);
    await scene.projector.catchUp();
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

let scene: HistoryScene;
let api: TestApi;
let owner: Owner;
let headers: Owner['headers'];
let ids: HistoryScene['ids'];

beforeAll(async () => {
  scene = await HistoryScene.open();
  ({ api, owner, ids } = scene);
  headers = owner.headers;
}, 60_000);

afterAll(() => scene.close());
