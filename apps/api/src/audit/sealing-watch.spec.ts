import type { Pool } from 'pg';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openPool } from '@ledgerline/platform/database/pool';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { HeadSigner } from '@ledgerline/platform/event-store/head-signer';
import type { HeadSigning } from '@ledgerline/platform/event-store/head-signing';
import { appended, event, freshStream, sealing } from '@test/event-store/laws/harness';
import { openSigning } from '@test/event-store/sign-heads';
import { rewriteHistory } from '@test/journeys/rewrite-history';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { SealingWatch } from './sealing-watch';
import { AuditVerification } from './verify-audit-log.query';

describe('a history that an api watches', () => {
  it('is not valid where this process saw an event five minutes ago, whatever time the database holds', async () => {
    await pool.query(`update events set recorded_at = now() + interval '1 year'`);
    await watch.look();
    clock = 299_000;
    expect(await onPostgres.verdict('org_1')).toMatchObject({ valid: true, unsealed: 3 });
    clock = 300_000;
    expect(await onPostgres.verdict('org_1')).toMatchObject({
      valid: false,
      firstInvalid: { revision: 0, finding: 'unsealed' },
    });
    await signing.sign();
    expect(await onPostgres.verdict('org_1')).toMatchObject({ valid: true, unsealed: 0 });
  });

  it('has the fault that this process has found in it, until it has found it right, whatever the table holds', async () => {
    await signing.sign();
    await pool.query('create table kept as select * from events');
    await pool.query('create table kept_chains as select * from organization_chains');
    await rewriteHistory(database.url, 'org_1', 1);
    await watch.look();
    const fault = 'Its history is another one than was signed: place 2 has another hash.';
    expect(await watch.report(pool, 10)).toMatchObject([{ organization: 'org_1', reason: fault }]);
    expect(await onPostgres.unprovenFrom('org_1')).toBe(2);
    expect(await onPostgres.verdict('org_1')).toMatchObject({ valid: false, fault, firstInvalid: { revision: 2 } });
    await pool.query('truncate events, organization_chains');
    await pool.query('insert into events select * from kept');
    await pool.query('insert into organization_chains select * from kept_chains');
    await waitUntil(
      () => watch.look().then(() => watch.report(pool, 10)),
      (rows) => rows.length === 0,
    );
    const verdict = await onPostgres.verdict('org_1');
    expect([verdict.valid, verdict.fault, await onPostgres.unprovenFrom('org_1')]).toEqual([true, undefined, Infinity]);
  });

  it('has what is not signed for 30 s in the report, though no projector writes a fault', async () => {
    await watch.look();
    expect(await watch.report(pool, 10)).toEqual([]);
    clock = 30_000;
    expect(await watch.report(pool, 10)).toMatchObject([
      { organization: 'org_1', reason: 'Its newest events have not been signed for 30 s.' },
    ]);
  });

  it('has nothing in the report that was signed after this process saw it', async () => {
    await watch.look();
    await signing.sign();
    await watch.look();
    clock = 30_000;
    expect(await watch.report(pool, 10)).toEqual([]);
  });

  let clock = 0;
  let watch: SealingWatch;
  let database: TestDatabase;
  let pool: Pool;
  let postgres: EventStore;
  let signing: HeadSigning;
  let close: () => Promise<void>;
  let onPostgres: AuditVerification;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openPool({ url: database.url, name: 'spec', max: 4 });
    postgres = await openEventStore({ databaseUrl: database.url, auditSigningKey: sealing.key });
    ({ signing, close } = await openSigning(database.url, sealing));
    await appended(postgres, freshStream('org_1'), 'no-stream', [event(), event(), event()]);
    const logger = { info: () => undefined, warn: () => undefined };
    const settings = { auditSigningKey: sealing.key, eventStoreUrl: undefined };
    clock = 0;
    watch = new SealingWatch({ store: postgres, pool, settings, logger, now: () => clock });
    onPostgres = new AuditVerification(postgres, new HeadSigner(postgres, pool, sealing.key), watch);
  });
  afterEach(async () => {
    await Promise.all([close(), postgres.close()]);
    await pool.end();
    await database.drop();
  });
});
