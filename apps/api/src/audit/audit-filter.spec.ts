import { askAuditLog, readAuditLog } from '@test/api/audit-log';
import { changeEverything, ok } from '@test/api/every-change';
import { ownerWithWebsite, type Owner } from '@test/api/people';
import { startTestApi, type TestApi } from '@test/api/test-api';
import type { AuditEntryDto } from './audit-log.dto';
import { cursorText } from './read-audit-log.query';

describe('the audit log', () => {
  it('shows pages that further events do not shift', async () => {
    const owner = await ownerWithWebsite(api);
    for (let n = 0; n < 12; n += 1) await rename(owner, `Shop ${n}`);
    const before = await readAuditLog(api, owner);
    const paged: AuditEntryDto[] = [];
    for (let cursor: unknown = undefined, hasMore = true; hasMore;) {
      const { body } = await askAuditLog(api, owner, { limit: 5, cursor: cursor as string | undefined });
      paged.push(...(body.data as AuditEntryDto[]));
      ({ hasMore, nextCursor: cursor } = body as { hasMore: boolean; nextCursor: unknown });
      await rename(owner, `Again ${paged.length}`);
    }
    expect(paged).toEqual(before);
  });

  it('finds exactly what each filter asks for, in pages of any size', async () => {
    const owner = await ownerWithWebsite(api);
    await changeEverything(api, owner);
    const all = await readAuditLog(api, owner);
    const middle = all[Math.floor(all.length / 2)]!;
    const filters: [Record<string, string>, (entry: AuditEntryDto) => boolean][] = [
      [{ action: 'api_key.rotated' }, ({ action }) => action === 'api_key.rotated'],
      [{ actorId: owner.id }, ({ actor }) => actor.id === owner.id],
      [{ targetType: 'website' }, ({ target }) => target.type === 'website'],
      [{ targetId: owner.websiteId }, ({ target }) => target.id === owner.websiteId],
      [{ from: middle.occurredAt }, ({ occurredAt }) => occurredAt >= middle.occurredAt],
      [{ to: middle.occurredAt }, ({ occurredAt }) => occurredAt < middle.occurredAt],
      [{ targetType: 'api_key', actorId: 'usr_nobody' }, () => false],
    ];
    for (const [query, isWanted] of filters)
      for (const limit of [1, 3, 200])
        expect(await readAuditLog(api, owner, { ...query, limit })).toEqual(all.filter(isWanted));
  });

  it('refuses what it does not know, naming the field', async () => {
    const owner = await ownerWithWebsite(api);
    const other = await ownerWithWebsite(api);
    const { nextCursor } = (await askAuditLog(api, other, { limit: 1 })).body;
    const wrong: Record<string, string | number>[] = [
      { action: 'api_key.exploded' },
      { targetType: 'key' },
      { from: 'yesterday' },
      { to: '2026-13-01T00:00:00Z' },
      { limit: 201 },
      { limit: 0 },
      { cursor: 'abc' },
      { cursor: String(nextCursor) },
      ...['abc', '99999999999999999999', '1.1@99999999999999999999'].map((place) => ({
        cursor: cursorText(owner.organizationId, place),
      })),
      { actor: owner.id },
    ];
    for (const query of wrong) {
      const { status, body } = await askAuditLog(api, owner, query);
      expect([query, status]).toEqual([query, 400]);
      expect(body).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: Object.keys(query)[0] }] });
    }
    const backwards = await askAuditLog(api, owner, { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' });
    expect(backwards.body).toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field: 'to' }] });
  });
});

const rename = ({ websiteId, headers }: Owner, name: string) =>
  ok(api, `PATCH /v1/websites/${websiteId}`, { body: { name }, headers });

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi({ LIMIT_API_PER_MINUTE: '100000' });
});

afterAll(() => api.close());
