import { randomUUID } from 'node:crypto';
import { ANONYMOUS } from '@ledgerline/domain/access/caller';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { ask, type Answer } from '@test/api/ask';
import { readAuditLog } from '@test/api/audit-log';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import { appendOneByOne } from '@test/event-store/append-one-by-one';
import { EVENT_STORE } from '../tokens';
import type { LinkOutcomesDto } from './link.dto';
import { SlugReservations } from './links';

describe('many links at once', () => {
  it('are created each for itself, with a result for each in its place', async () => {
    await send([{ ...link, slug: 'taken-before' }]);
    const { status, headers, outcomes } = await send([
      { ...link, name: 'First', slug: 'bulk-1', externalId: 'partner' },
      { ...link, slug: 'taken-before' },
      { name: ' ', targetUrl: 'ftp://example.com', colour: 'red' },
      { ...link, slug: 'bulk-1' },
      { ...link, name: 'Last' },
    ]);
    expect([status, headers['x-log-position']]).toEqual([200, expect.stringMatching(/^e:\d+$/)]);
    expect(outcomes).toMatchObject({ success: true, created: 2, failed: 3 });
    expect(outcomes.results).toMatchObject([
      { index: 0, success: true, link: { name: 'First', slug: 'bulk-1', externalId: 'partner', revision: 0 } },
      { index: 1, success: false, code: 'CONFLICT', details: [{ field: 'slug' }] },
      { index: 2, success: false, code: 'VALIDATION_ERROR' },
      { index: 3, success: false, code: 'CONFLICT', details: [{ field: 'slug' }] },
      { index: 4, success: true, link: { name: 'Last', slug: expect.stringMatching(/^[A-Za-z0-9]{8}$/) as string } },
    ]);
    const wrong = outcomes.results[2]?.details?.map(({ field }) => field);
    expect(new Set(wrong)).toEqual(new Set(['name', 'targetUrl', 'colour']));
    const first = outcomes.results[0]?.link;
    expect((await ask(api, `GET /v1/links/${first?.id}`, owner)).body).toEqual(first);
  });

  it('have each its own outcome, and twenty wrong fields listed of all', async () => {
    const { outcomes, text } = await send(Array.from({ length: 1_000 }, () => ({ colour: 'red' })));
    expect(outcomes.results.map(({ index, code }) => [index, code])).toEqual(
      Array.from({ length: 1_000 }, (_, at) => [at, 'VALIDATION_ERROR']),
    );
    expect(outcomes.results.flatMap(({ details = [] }) => details)).toHaveLength(20);
    expect(outcomes.results[0]?.error).toBe('The request is not valid');
    expect(outcomes.results[6]?.error).toBe('The request is not valid: 2 faults are listed, and 1 more');
    expect(outcomes.results[7]?.error).toBe('The request is not valid: 0 faults are listed, and 3 more');
    expect(text.length).toBeLessThan(140_000);
  });

  it('leave the same events as one at a time, under one correlation', async () => {
    const { outcomes, headers } = await send([link, link]);
    const events = await Promise.all(
      idsOf(outcomes).map((id) => store().readStream(`${owner.organizationId}-link-${id}`)),
    );
    const metadata = { actor: owner.id, organization: owner.organizationId, commandType: 'CreateLink' };
    const expected = { type: 'LinkCreated', metadata: { ...metadata, correlation: headers['x-request-id'] } };
    expect(events).toMatchObject([[expected], [expected]]);
    expect(events[0]?.[0]?.metadata.command).not.toBe(events[1]?.[0]?.metadata.command);
  });

  it('are answered the same when repeated with their Idempotency-Key, and refused with another body', async () => {
    const items = [{ ...link, slug: 'once' }, { ...link }, { name: '' }, { ...link, slug: 'once' }];
    const first = await send(items, 'bulk');
    const second = await send(items, 'bulk');
    expect(second.outcomes).toEqual(first.outcomes);
    expect(second.headers['x-log-position']).toBe(first.headers['x-log-position']);
    expect((await send([link], 'bulk')).status).toBe(409);
  });

  it('are refused with the Idempotency-Key of the same links for another organization', async () => {
    const links = [{ ...link, slug: 'in-one-only' }, link];
    const { outcomes: first } = await send(links, 'two-organizations');
    const other = await ask(api, 'POST /v1/organizations', { body: { name: 'Other' }, headers: owner.headers });
    const headers = { ...owner.headers, 'idempotency-key': 'two-organizations' };
    const second = await ask(api, 'POST /v1/links/bulk', { body: { organizationId: other.body.id, links }, headers });
    expect([second.status, second.body.code]).toEqual([409, 'CONFLICT']);
    for (const id of idsOf(first)) expect(await store().readStream(`${String(other.body.id)}-link-${id}`)).toEqual([]);
  });

  it('are completed by a repetition after a failure in the midst of them', async () => {
    const items = Array.from({ length: 100 }, (_, n) => ({
      ...link,
      name: `n${n}`,
      ...(n % 2 ? {} : { slug: `s-${n}` }),
    }));
    let left = 50;
    const recover = appendOneByOne(store(), () => {
      if (--left < 0) throw new LogUnavailable('away');
    });
    const failed = await send(items, 'interrupted');
    recover();
    expect([failed.status, failed.headers['retry-after']]).toEqual([503, '1']);
    const { outcomes } = await send(items, 'interrupted');
    expect(outcomes).toMatchObject({ created: 100, failed: 0 });
    expect(outcomes.results.map((result) => result.link?.name)).toEqual(items.map(({ name }) => name));
    expect((await send(items, 'interrupted')).outcomes).toEqual(outcomes);
    const ids = idsOf(outcomes);
    expect(ids).toEqual([...new Set(ids)].sort());
  });

  it('may be 1,000, and no more', async () => {
    const { outcomes } = await send(Array<object>(1_000).fill(link));
    expect(outcomes).toMatchObject({ created: 1_000, failed: 0 });
    expect(new Set(outcomes.results.map((result) => result.link?.slug)).size).toBe(1_000);
    for (const links of [Array<object>(1_001).fill(link), [], undefined, 'x', [1]])
      expect((await ask(api, 'POST /v1/links/bulk', body({ links }))).body).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: [{ field: expect.stringMatching(/^links/) as string }],
      });
  }, 60_000);

  it('have no position when none was created', async () => {
    const { status, headers, outcomes } = await send([{ name: '' }]);
    expect([status, headers['x-log-position'], outcomes.created]).toEqual([200, undefined, 0]);
  });
});

describe('tags of many links', () => {
  it('are put on and taken off each for itself, and once for an Idempotency-Key', async () => {
    const spring = await tagged('Spring');
    const sale = await tagged('Sale');
    const { outcomes: made } = await send([{ ...link, tagIds: [spring] }, link]);
    const linkIds = [...idsOf(made), 'link_none'];
    const first = await tag({ linkIds, add: [sale], remove: [spring] }, 'tags');
    expect([first.status, first.headers['x-log-position']]).toEqual([200, expect.stringMatching(/^e:\d+$/)]);
    expect(first.body).toMatchObject({
      success: true,
      tagged: 2,
      failed: 1,
      results: [
        { index: 0, success: true, link: { id: linkIds[0], tagIds: [sale], revision: 1 } },
        { index: 1, success: true, link: { id: linkIds[1], tagIds: [sale], revision: 1 } },
        { index: 2, success: false, code: 'NOT_FOUND' },
      ],
    });
    expect((await tag({ linkIds, add: [sale], remove: [spring] }, 'tags')).body).toEqual(first.body);
    expect((await tag({ linkIds, remove: [sale] }, 'tags')).status).toBe(409);
    expect((await tag({ linkIds: linkIds.slice(0, 1), add: [sale] })).body.results).toMatchObject([
      { link: { revision: 1 } }, // nothing changes
    ]);
    const [entry] = await readAuditLog(api, owner, { targetId: linkIds[0]! });
    expect([entry?.action, entry?.changes]).toEqual(['link.updated', { tagIds: { before: [spring], after: [sale] } }]);
  });

  it('that are put on at once all stay', async () => {
    const { outcomes } = await send([link]);
    const linkIds = idsOf(outcomes);
    const tagIds = await Promise.all(['A', 'B', 'C', 'D'].map(tagged));
    await Promise.all(tagIds.map((tagId) => tag({ linkIds, add: [tagId] })));
    const { body: found } = await ask(api, `GET /v1/links/${linkIds[0]}`, owner);
    expect((found.tagIds as string[]).toSorted()).toEqual(tagIds.toSorted());
  });

  it('are of the organization, and so are the links', async () => {
    const theirs = await ownerWithWebsite(api);
    const { outcomes } = await send([link]);
    const linkIds = idsOf(outcomes);
    expect((await tag({ linkIds, add: ['tag_none'] })).body.details).toMatchObject([{ field: 'add[0]' }]);
    for (const wrong of [[], [...linkIds, ...linkIds], [1], Array<string>(1_001).fill('link_1')])
      expect((await tag({ linkIds: wrong })).status).toBe(400);
    const sent = { organizationId: theirs.organizationId, linkIds };
    const foreign = await ask(api, 'POST /v1/links/bulk/tags', { body: sent, headers: theirs.headers });
    expect(foreign.body).toMatchObject({ tagged: 0, failed: 1, results: [{ code: 'NOT_FOUND' }] });
    expect((await ask(api, 'POST /v1/links/bulk/tags', { body: sent, headers: owner.headers })).status).toBe(404);
  });
});

describe('a slug', () => {
  it('stays with the organization it was reserved for, also for the same command', async () => {
    const slugs = api.app.get(SlugReservations);
    const wanted = { linkId: 'link_one', organizationId: owner.organizationId };
    const started = { caller: ANONYMOUS, commandId: randomUUID(), id: wanted.linkId, startedAt: new Date() };
    expect(await slugs.reserve('reserved', wanted, started)).toEqual(wanted);
    expect(await slugs.reserve('reserved', { ...wanted, organizationId: 'org_other' }, started)).toEqual(wanted);
  });
});

const link = { name: 'A link', targetUrl: 'https://example.com/' };

let api: TestApi;
let owner: Owner;

const store = () => api.app.get<EventStore>(EVENT_STORE);
const idsOf = ({ results }: LinkOutcomesDto) => results.flatMap((result) => result.link?.id ?? []);
const body = (more: object) => ({
  body: { organizationId: owner.organizationId, ...more },
  headers: owner.headers,
});

async function tagged(name: string): Promise<string> {
  return String((await ask(api, 'POST /v1/tags', body({ name }))).body.id);
}

function tag(wanted: object, key?: string): Promise<Answer> {
  const { body: sent, headers } = body(wanted);
  const all = key === undefined ? headers : { ...headers, 'idempotency-key': key };
  return ask(api, 'POST /v1/links/bulk/tags', { body: sent, headers: all });
}

async function send(links: readonly object[], key?: string): Promise<Answer & { outcomes: LinkOutcomesDto }> {
  const { body: sent, headers } = body({ links });
  const all = { ...headers, ...(key === undefined ? {} : { 'idempotency-key': key }) };
  const answer = await ask(api, 'POST /v1/links/bulk', { body: sent, headers: all });
  return { ...answer, outcomes: answer.body as unknown as LinkOutcomesDto }; // compared with its schema by the test api
}

beforeAll(async () => {
  api = await startTestApi({ LIMIT_API_PER_MINUTE: '10000' });
  owner = await ownerWithWebsite(api);
});

afterAll(() => api.close());
