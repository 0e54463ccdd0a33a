import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { EventStoreDBClient } from '@eventstore/db-client';
import type { Pool } from 'pg';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openPool } from '@ledgerline/platform/database/pool';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { HeadSigner, addPublicKey, signedBefore } from '@ledgerline/platform/event-store/head-signer';
import type { HeadSigning } from '@ledgerline/platform/event-store/head-signing';
import { insertStatement, signHead, signStatement } from '@ledgerline/platform/event-store/head-statement';
import { EventStoreDbDouble } from '@test/event-store/eventstoredb-double/eventstoredb-double';
import { keepSealedHead } from '@test/event-store/keep-sealed-head';
import { appended, event, freshStream, sealing } from '@test/event-store/laws/harness';
import { openSigning } from '@test/event-store/sign-heads';
import { statedHead, whenBegun } from '@test/event-store/stated-head';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { AuditVerification } from './verify-audit-log.query';

const NO_WATCH = { faultOf: () => Promise.resolve(undefined), overdueBefore: () => undefined };

describe('the verification of a history on EventStoreDB', () => {
  it('ends in the signed head of its seals', async () => {
    const kept = await statedHead(pool, 'org_1');
    const verdict = await verification.verdict('org_1');
    expect(verdict).toMatchObject({ valid: true, events: 3, unsealed: 0, head: { revision: 2, hash: kept!.hash } });
    expect(verdict.signature).toBe(kept!.signature);
  });

  it('says how far it is while it reads, and ends in the verdict that it shares', async () => {
    await recorded(997);
    await waitUntil(
      () => signer.signedHead('org_1'),
      (head) => head?.revision === 999,
    );
    const { store, release } = holdsSecondPage(reader);
    const held = new AuditVerification(store, signer, NO_WATCH);
    const lines = (await held.lines('org_1'))[Symbol.asyncIterator]();
    const shared = held.verdict('org_1');
    await waitUntil(
      async () => JSON.parse(String((await lines.next()).value)) as unknown,
      (line) => isDeepStrictEqual(line, { verified: 500, total: 1_000 }),
    );
    release();
    const verdict = await shared;
    const last = await waitUntil(
      async () => JSON.parse(String((await lines.next()).value)) as unknown,
      (line) => !isDeepStrictEqual(Object.keys(line as object), ['verified', 'total']),
    );
    expect(await lines.next()).toEqual({ done: true, value: undefined });
    expect(verdict).toMatchObject({ valid: true, events: 1_000, head: { revision: 999 } });
    expect(last).toEqual(verdict);
  });

  it.each(['deleteStream', 'tombstoneStream'] as const)('is not valid after a %s of its seals', async (remove) => {
    const kept = await signer.signedHead('org_1');
    await driver[remove]('ledgerline-seals_org_1');
    expect(await verification.verdict('org_1')).toMatchObject({
      valid: false,
      events: 0,
      unsealed: 3,
      head: { revision: 2, hash: kept!.hash },
      signature: null,
      firstInvalid: { revision: 0, finding: 'unsealed' },
    });
  });

  it('is not valid where the server has nothing of the organization', async () => {
    const firstInvalid = { revision: 0, finding: 'dropped' };
    expect(await verification.verdict('org_2')).toMatchObject({ valid: false, events: 0, head: null, firstInvalid });
  });

  it('is not valid where its newest seal says anything that is not signed', async () => {
    const stored = double.log.of('ledgerline-seals_org_1').at(-1)!;
    const seal = JSON.parse(Buffer.from(stored.data).toString()) as object;
    const data = Buffer.from(JSON.stringify({ ...seal, cursor: '9000000.9000000' }));
    double.log.append(stored.stream, stored.revision, [{ ...stored, id: randomUUID(), data }]);
    expect(await verification.verdict('org_1')).toMatchObject({
      valid: false,
      events: 3,
      signature: null,
      firstInvalid: { revision: 2, finding: 'unsigned' },
    });
  });

  it('is not valid where nothing has sealed it for long', async () => {
    await sealer.close();
    await recorded(2);
    expect(await verification.verdict('org_1')).toMatchObject({ valid: true, events: 3, unsealed: 2 });
    const hourAgo = new Date(Date.now() - 3_600_000);
    double.log.all = double.log.all.map((stored) => ({ ...stored, created: hourAgo }));
    expect(await verification.verdict('org_1')).toMatchObject({
      valid: false,
      events: 3,
      unsealed: 2,
      signature: null,
      firstInvalid: { revision: 3, finding: 'unsealed' },
    });
  });

  it('is not valid where the head that was kept is another one, or not signed', async () => {
    await pool.query(`update head_statements set heads = jsonb_set(heads, '{0,signature}', '"AAAA"') where number = 1`);
    const unsigned = await verification.verdict('org_1');
    expect(unsigned).toMatchObject({ valid: false, firstInvalid: { revision: 2, finding: 'unsigned' } });
    const forged = signHead(sealing.key, 'org_1', { revision: 2, hash: 'a'.repeat(64) }, new Date());
    await pool.query(
      `update head_statements set heads = jsonb_build_array($1::jsonb), signed_at = $2 where number = 1`,
      [JSON.stringify(forged), forged.signedAt],
    );
    const changed = await verification.verdict('org_1');
    expect(changed).toMatchObject({ valid: false, firstInvalid: { revision: 2, finding: 'head_mismatch' } });
  });
});

describe('the verification of a history on Postgres', () => {
  it('ends in the newest head that was signed, and counts what is newer', async () => {
    await signing.sign();
    await recorded(2, postgres);
    const head = await heads.signedHead('org_1');
    const { signature, signedAt, keyId } = head!;
    const verdict = await onPostgres.verdict('org_1');
    expect(verdict).toMatchObject({ valid: true, events: 3, unsealed: 2, head: { revision: 2, hash: head!.hash } });
    expect(verdict).toMatchObject({ signature, signedAt, keyId });
  });

  it('is not valid where nothing has signed it for long', async () => {
    const place = (revision: number) => ({ revision, finding: 'unsealed', id: expect.any(String) as string });
    expect(await onPostgres.verdict('org_1')).toMatchObject({ valid: true, events: 0, unsealed: 3, head: null });
    await pool.query(`update events set recorded_at = now() - interval '6 minutes'`);
    expect(await onPostgres.verdict('org_1')).toMatchObject({ valid: false, firstInvalid: place(0) });
    await signing.sign();
    await recorded(1, postgres);
    expect(await onPostgres.verdict('org_1')).toMatchObject({ valid: true, unsealed: 1 });
    await pool.query(`update events set recorded_at = now() - interval '6 minutes'`);
    expect(await onPostgres.verdict('org_1')).toMatchObject({ valid: false, unsealed: 1, firstInvalid: place(3) });
  });

  it('is not valid where an earlier signed head does not fit, with its place, or one place has two', async () => {
    await signing.sign();
    await recorded(1, postgres);
    await signing.sign();
    const change = (at: number, hash: string) =>
      pool.query(
        `update head_statements set heads = jsonb_set(heads, '{0,hash}', to_jsonb($2::text)) where number = $1`,
        [at, hash],
      );
    const [{ hash }] = (
      await pool.query<{ hash: string }>(`select heads -> 0 ->> 'hash' as hash from head_statements where number = 1`)
    ).rows as [{ hash: string }];
    await change(1, 'a'.repeat(64));
    const firstInvalid = { revision: 2, finding: 'unsigned' };
    expect(await onPostgres.verdict('org_1')).toMatchObject({ valid: false, signature: null, firstInvalid });
    await change(1, hash);
    expect(await onPostgres.verdict('org_1')).toMatchObject({ valid: true });
    await pool.query(
      `insert into head_statements (number, previous, heads, signed_at, key_id, signature)
       select 3, '', jsonb_set(heads, '{0,hash}', to_jsonb(repeat('b', 64))), signed_at, key_id, signature
       from head_statements where number = 1`,
    );
    expect(await onPostgres.verdict('org_1')).toMatchObject({ valid: false, firstInvalid });
  });

  it('is not valid where the newest head is not signed with the key of the installation', async () => {
    const { privateKey: key } = generateKeyPairSync('ed25519');
    const head = { revision: 2, hash: (await postgres.chainHead('org_1'))!.hash };
    const draft = { number: 1, previous: '', heads: [{ organization: 'org_1', ...head }] };
    await insertStatement(pool, signStatement(key, draft, new Date()));
    const firstInvalid = { revision: 2, finding: 'unsigned' };
    expect(await onPostgres.verdict('org_1')).toMatchObject({ valid: false, signature: null, firstInvalid });
  });

  it('rests on no head of a sealer that no key of the installation signed', async () => {
    await signing.sign();
    for (const forged of [
      { revision: 1, hash: 'a'.repeat(64) },
      { revision: 7, hash: 'b'.repeat(64) },
    ]) {
      await keepSealedHead(pool, { ...signHead(sealing.key, 'org_1', forged, new Date()), signature: 'AAAA' });
      expect(await onPostgres.verdict('org_1')).toMatchObject({ valid: true, events: 3, head: { revision: 2 } });
    }
    await pool.query('delete from head_statements where number > 0');
    const other = await openSigning(database.url, sealing);
    await other.signing.sign();
    await other.close();
    expect(await onPostgres.verdict('org_1')).toMatchObject({ valid: true, events: 3, head: { revision: 2 } });
  });

  let postgres: EventStore;
  let signing: HeadSigning;
  let close: () => Promise<void>;
  let heads: HeadSigner;
  let onPostgres: AuditVerification;

  beforeEach(async () => {
    await sealer.close();
    await pool.query('delete from head_statements');
    postgres = await openEventStore({ databaseUrl: database.url, auditSigningKey: sealing.key });
    ({ signing, close } = await openSigning(database.url, sealing));
    await pool.query('delete from sealed_heads');
    await recorded(3, postgres);
    heads = new HeadSigner(postgres, pool, sealing.key);
    onPostgres = new AuditVerification(postgres, heads, { ...NO_WATCH, overdueBefore: signedBefore });
  });
  afterEach(() => Promise.all([close(), postgres.close()]));
});

async function recorded(count: number, into = reader): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => event({ n }));
  await appended(into, freshStream('org_1'), 'no-stream', events);
}

/** Reads the second page of the history once it is released. */
function holdsSecondPage(store: EventStore) {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const readBack: EventStore['readBack'] = async (page) => {
    if (page.before !== undefined) await released;
    return store.readBack(page);
  };
  const chainHead: EventStore['chainHead'] = (organization) => store.chainHead(organization);
  return { store: { readBack, chainHead }, release };
}

let database: TestDatabase;
let pool: Pool;
let double: EventStoreDbDouble;
let driver: EventStoreDBClient;
let sealer: EventStore;
let reader: EventStore;
let signer: HeadSigner;
let verification: AuditVerification;

beforeEach(async () => {
  database = await createTestDatabase();
  pool = openPool({ url: database.url, name: 'spec', max: 4 });
  await addPublicKey(pool, sealing.key);
  double = await EventStoreDbDouble.start();
  driver = EventStoreDBClient.connectionString(double.url);
  const address = { databaseUrl: database.url, eventStoreUrl: double.url };
  sealer = await openEventStore(address, { ...sealing, database: pool });
  reader = await openEventStore(address);
  signer = new HeadSigner(reader, pool, sealing.key);
  verification = new AuditVerification(reader, signer, NO_WATCH);
  await whenBegun(pool);
  await recorded(3);
  await waitUntil(
    () => statedHead(pool, 'org_1'),
    (head) => head?.revision === 2,
  );
});
afterEach(async () => {
  await Promise.all([sealer.close(), reader.close(), driver.dispose()]);
  double.stop();
  await pool.end();
  await database.drop();
});
