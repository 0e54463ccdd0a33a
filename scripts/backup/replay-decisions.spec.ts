import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import { ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { ask } from '@test/api/ask';
import {
  colleague,
  invite,
  join as joinOrganization,
  ownerWithWebsite,
  type Owner,
  type Person,
} from '@test/api/people';
import { sealing } from '@test/event-store/laws/harness';
import { pageView } from '@test/events/observed-events';
import { startProduct, type RunningProduct } from '@test/journeys/running-product';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { storedInTables } from '@test/privacy/stored-bytes';
import { projectInto } from '@test/query/projected-database';
import { backup, restore } from './backup-command';

const PASSPHRASE = 'correct horse battery';
const AUDIT_SIGNING_KEY = sealing.key.export({ format: 'pem', type: 'pkcs8' }) as string;
const ANN = 'a'.repeat(32);
const BOB = 'b'.repeat(32);

describe('a restore carries out what was decided after the backup', () => {
  it.each(['a list', 'a newer backup', 'an audit log'])('as %s has it', async (kind) => {
    const said = await restoreWith(await decisions(kind));
    expect(said).toContain('Carried out what was decided after it: erasures: 4; changed retentions: 1.');
    const [{ keys, profiles, addresses }] = await asked<Record<'keys' | 'profiles' | 'addresses', number>>(
      sql`select (select count(*)::integer from subject_keys where subject = ${person.id} and wrapped is not null) as keys,
          (select count(*)::integer from profile_keys) as profiles,
          (select count(*)::integer from invitation_addresses) as addresses`,
    );
    expect({ keys, profiles, addresses }).toEqual({ keys: 0, profiles: 0, addresses: 0 });
    expect(await asked(sql`select id from auth."user" where id in (${person.id}, ${member.id})`)).toEqual([
      { id: member.id },
    ]);
    const projector = await projectInto(empty.url); // nothing takes visits out of its tables
    await projector.catchUp();
    await projector.close();
    const tables = (await storedInTables(empty.url)).filter(({ place }) => place !== 'public.intake_segments');
    const textIn = (planted: string) => tables.filter(({ text }) => text.includes(planted)).length;
    expect([textIn('/planted-ann'), textIn('/planted-bob')]).toEqual([0, 1]);
    const [site] = await asked<{ data: { retentionDays: number } }>(
      sql`select data from events where stream like '%-website-%' order by position desc limit 1`,
    );
    expect(site.data.retentionDays).toBe(400);
  });

  it('once, in a history that is whole and says that it was restored', async () => {
    const list = await decisions('a list');
    await restoreWith(list, '--erasures', list);
    const erased = sql`select count(*)::integer as events from events where type = 'SubjectErased'`;
    expect(await asked(erased)).toEqual([{ events: 4 }]);
    const store = await openEventStore({ databaseUrl: empty.url });
    expect(await verifyChain(store, owner.organizationId)).toMatchObject({ valid: true });
    const restored = await store.readBack({ organization: owner.organizationId, limit: 100 });
    await store.close();
    expect(restored.filter(({ type }) => type === 'AuditLogResealed')).toMatchObject([
      { data: { reason: expect.stringMatching(/^Restored from the backup of 20/) as string } },
    ]);
  });

  it('and restores nothing with a list that is none', async () => {
    const file = join(place, 'list');
    for (const text of ['not JSON', '{"event":{"id":', '{"code":"FORBIDDEN"}'] as const) {
      writeFileSync(file, text);
      await expect(restoreWith(file)).rejects.toThrow('is no list of decisions');
    }
    await expect(restoreWith(join(place, 'absent'))).rejects.toThrow('cannot be read');
    expect(await asked(sql`select from events`)).toEqual([]);
    await expect(backup(['folder', '--erasures', 'list'], context())).rejects.toThrow('goes with nothing else');
  });

  let product: RunningProduct;
  let owner: Owner;
  let person: Person;
  let member: Person;
  let empty: TestDatabase;
  let place: string;

  const context = (url = product.api.settings.databaseUrl, print: (line: string) => void = () => undefined) => ({
    variables: { DATABASE_URL: url, BACKUP_PASSPHRASE: PASSPHRASE, AUDIT_SIGNING_KEY },
    print,
  });

  const keysFile = () => join(place, 'keys.json');

  /** Restores with a list of decisions; returns what it says. */
  async function restoreWith(file: string, ...more: readonly string[]): Promise<string> {
    const said: string[] = [];
    const args = [join(place, 'before'), '--with-keys', keysFile(), '--erasures', file, ...more];
    await restore(
      args,
      context(empty.url, (line) => said.push(line)),
    );
    return said.join('\n');
  }

  async function decisions(kind: string): Promise<string> {
    const file = join(place, kind);
    if (kind === 'a list') await backup(['--erasures', file], context());
    if (kind === 'a newer backup') await backup([file], context());
    if (kind !== 'an audit log') return file;
    await product.api.signHeads();
    const path = `/v1/audit-log/export?organizationId=${owner.organizationId}&format=ndjson` as const;
    writeFileSync(file, (await ask(product.api, `GET ${path}`, owner)).text);
    return file;
  }

  async function asked<Row extends object>(statement: Parameters<typeof run>[1]): Promise<readonly [Row, ...Row[]]> {
    const pool = openPool({ url: empty.url, name: 'spec', max: 1 });
    const rows = await run<Row>(pool, statement);
    await pool.end();
    return rows as unknown as readonly [Row, ...Row[]];
  }

  beforeAll(async () => {
    place = mkdtempSync(join(tmpdir(), 'ledgerline-replay-'));
    product = await startProduct();
    const { api } = product;
    owner = await ownerWithWebsite(api);
    const { organizationId, websiteId, headers } = owner;
    person = await colleague(api, owner, 'admin');
    member = await colleague(api, owner, 'member');
    await joinOrganization(api, await ownerWithWebsite(api), member, 'member');
    await ask(api, `PATCH /v1/websites/${websiteId}`, { body: { name: 'Renamed' }, headers: person.headers });
    const invitationId = await invite(api, owner, 'unread@example.com');
    await api.app.get(ProfileKeys).obtain(websiteId, 'ann@example.com');
    const view = (visitorId: string, path: string) => pageView(Date.now() - 1_000, { websiteId, visitorId, path });
    await product.projector.send(websiteId, [view(ANN, '/planted-ann'), view(BOB, '/planted-bob')]);
    await backup([join(place, 'before'), '--with-keys', keysFile()], context());
    for (const subject of [
      { userId: person.id },
      { invitationId },
      { websiteId, profileId: 'ann@example.com' },
      { websiteId, visitorId: ANN },
    ]) {
      const body = { organizationId, subject };
      expect((await ask(api, 'POST /v1/erasures', { body, headers })).status).toBe(202);
    }
    await ask(api, `PATCH /v1/websites/${websiteId}`, { body: { retentionDays: 400 }, headers });
  });
  afterAll(async () => {
    await product.close();
    rmSync(place, { recursive: true, force: true });
  });
  beforeEach(async () => (empty = await createTestDatabase({ migrated: false })));
  afterEach(() => empty.drop());
});
