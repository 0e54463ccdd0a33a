import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { EventStoreDBClient } from '@eventstore/db-client';
import type { Pool } from 'pg';
import { auditedEvent } from '@ledgerline/domain/audit/audited-events';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openPool } from '@ledgerline/platform/database/pool';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { addPublicKey, HeadSigner, signedBefore } from '@ledgerline/platform/event-store/head-signer';
import type { HeadSigning } from '@ledgerline/platform/event-store/head-signing';
import { readStatements } from '@ledgerline/platform/event-store/head-statement';
import { readSealingFault, verifyHistory } from '@ledgerline/platform/event-store/verify-chain';
import { EventStoreDbDouble } from '@test/event-store/eventstoredb-double/eventstoredb-double';
import { appended, event, freshStream, sealing } from '@test/event-store/laws/harness';
import { openSigning } from '@test/event-store/sign-heads';
import { statedHead } from '@test/event-store/stated-head';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { AuditVerification } from '../../apps/api/src/audit/verify-audit-log.query';
import { audit } from './audit';

const NO_WATCH = { faultOf: () => Promise.resolve(undefined), overdueBefore: signedBefore };

const CUT_BACK = `
  with newest as (delete from events where chain_revision = 2 returning 1)
  update organization_chains set revision = 1, hash = (select hash from events where chain_revision = 1)
  where exists (select from newest)`;

describe('npm run audit -- reseal', () => {
  it('seals a history as it is once its seals are lost, and records who lost what, and why', async () => {
    await recorded(3);
    await waitUntil(
      () => store.chainHead('org_1'),
      (head) => head?.revision === 2,
    );
    const lost = (await store.chainHead('org_1'))!;
    await expect(run('reseal', '--organization', 'org_1', '--reason', 'x')).rejects.toThrow(
      'There is nothing to decide',
    );
    await driver.tombstoneStream('ledgerline-seals_org_1');
    expect(await run('reseal', '--organization', 'org_1', '--reason', ' Disk 3 was restored. ')).toBe(
      'Places 0 to 3 of org_1 are sealed as they are now.\n',
    );
    await recorded(1);
    const history = await waitUntil(
      () => store.readBack({ organization: 'org_1', limit: 10 }),
      (entries) => entries.length === 5 && entries.every(({ chain }) => chain !== null),
    );
    expect(history.map(({ chain }) => chain?.revision)).toEqual([4, 3, 2, 1, 0]);
    expect(history[1]!.metadata).toMatchObject({ actor: 'system', commandType: 'ResealAuditLog' });
    expect(auditedEvent(history[1]!)).toEqual({
      action: 'audit_log.resealed',
      target: { type: 'audit_log', id: 'org_1', name: null },
      changes: {
        head: { before: { revision: 2, hash: lost.hash }, after: null },
        reason: { before: null, after: 'Disk 3 was restored.' },
      },
    });
  });

  it('decides where sealing has a fault, though the history is valid as far as it is sealed', async () => {
    await recorded(2);
    await waitUntil(
      () => store.chainHead('org_1'),
      (head) => head?.revision === 1,
    );
    const newest = double.log.of('ledgerline-seals_org_1').at(-1)!;
    const seal = JSON.parse(Buffer.from(newest.data).toString()) as object;
    const firstForm = { ...seal, version: undefined, contentSignature: undefined, cursor: '9000000.9000000' };
    const data = Buffer.from(JSON.stringify(firstForm));
    double.log.append('ledgerline-seals_org_1', newest.revision, [{ ...newest, id: randomUUID(), data }]);
    await recorded(1);
    await waitUntil(
      () => readSealingFault(pool, 'org_1'),
      (fault) => fault !== undefined,
    );
    expect(await run('reseal', '--organization', 'org_1', '--reason', 'x')).toBe(
      'Places 0 to 3 of org_1 are sealed as they are now.\n',
    );
    await waitUntil(
      () => readSealingFault(pool, 'org_1'),
      (fault) => fault === undefined,
    );
  });

  it('needs a history that is not what was sealed, and a reason', async () => {
    const wanted = ['reseal', '--organization', 'org_none', '--reason', 'x'];
    await expect(run(...wanted)).rejects.toThrow('There is nothing to decide: the history of org_none');
    await expect(run('reseal', '--organization', 'org_1')).rejects.toThrow('Usage: npm run audit');
    await expect(run('reseal', '--organization', 'org_1', '--reason', ' ')).rejects.toThrow('Usage: npm run audit');
    await expect(run('public-keys', '--reason', 'x')).rejects.toThrow('These arguments do not go together');
    await expect(run('reseal', '--all', '--reason', 'x')).rejects.toThrow('There is nothing to decide');
    await expect(run('reseal', '--all', '--organization', 'org_1', '--reason', 'x')).rejects.toThrow('Usage: npm run');
    isPostgres = true;
    await expect(run(...wanted)).rejects.toThrow('There is nothing to decide: the history of org_none');
    await expect(run('reseal', '--all', '--reason', 'x')).rejects.toThrow('There is nothing to decide');
  });
});

describe('npm run audit -- reseal, of what is hidden', () => {
  it.each<[string, (stream: string) => Promise<unknown>]>([
    ['a limit of its events', (stream) => driver.setStreamMetadata(stream, { maxCount: 1 })],
    ['a truncated stream', (stream) => driver.setStreamMetadata(stream, { truncateBefore: 1 })],
    ['a truncated history', () => driver.setStreamMetadata('$ce-org_1', { truncateBefore: 1 })],
    ['seals behind which it is truncated', () => hidden('ledgerline-seals_org_1')],
    ['a tombstone', (stream) => driver.tombstoneStream(stream)],
  ])('seals what is shown, so that it is valid and stays so: %s', async (_, hide) => {
    await recorded(3);
    const stream = double.log.all.find((stored) => stored.stream.startsWith('org_1-'))!.stream;
    await recorded(1);
    await waitUntil(
      () => statedHead(pool, 'org_1'),
      (head) => head?.revision === 3,
    );
    await hide(stream);
    const verify = () =>
      new AuditVerification(store, new HeadSigner(store, pool, sealing.key), NO_WATCH).verdict('org_1');
    expect(await verify()).toMatchObject({ valid: false });
    expect(await run('reseal', '--organization', 'org_1', '--reason', 'x')).toContain('are sealed as they are now');
    await recorded(1);
    await waitUntil(verify, ({ valid, unsealed }) => valid && unsealed === 0);
    const entries = await store.readBack({ organization: 'org_1', limit: 9 });
    expect(entries.map(({ chain }) => chain?.revision)).toEqual(entries.map((_, at) => entries.length - 1 - at));
  });

  const hidden = (stream: string) => driver.setStreamMetadata(stream, { truncateBefore: 1_000 });
});

describe('npm run audit -- reseal, on Postgres', () => {
  it.each([
    ['an event was changed, but no hash', `update events set data = '{"n":7}' where chain_revision = 1`, 3],
    ['an event is missing', 'delete from events where chain_revision = 1', 2],
    ['the newest ones are missing', CUT_BACK, 2],
  ])('chains and signs a history as it is where %s, and keeps what was signed before', async (_, change, last) => {
    const signer = new HeadSigner(postgres, pool, sealing.key);
    const verdict = async () => verifyHistory(postgres, 'org_1', (await signer.heads('org_1')).all);
    await recorded(3, postgres);
    await signing.sign();
    const lost = await signer.signedHead('org_1');
    await pool.query(change);
    expect(await verdict()).toMatchObject({ valid: false });
    expect(await run('reseal', '--organization', 'org_1', '--reason', 'Disk 3.')).toBe(
      `Places 0 to ${last} of org_1 are sealed as they are now.\n`,
    );
    await recorded(1, postgres);
    await signing.sign();
    expect(await verdict()).toEqual({ valid: true, events: last + 2, unsealed: 0 });
    const [, resealed] = await postgres.readBack({ organization: 'org_1', limit: 2 });
    expect(resealed).toMatchObject({ data: { reason: 'Disk 3.', lost: { revision: 2, hash: lost!.hash } } });
    expect((await readStatements(pool, 1, 10)).map(({ heads }) => heads[0])).toMatchObject([
      { revision: 2, hash: lost!.hash },
      { revision: last, resealed: true },
      { revision: last + 1 },
    ]);
  });

  it.each([1, 7])('cures what verify names: a signed head of place %s that was forged', async (revision) => {
    const signer = new HeadSigner(postgres, pool, sealing.key);
    await recorded(3, postgres);
    await signing.sign();
    await pool.query(
      `update head_statements set heads = heads || jsonb_build_array(jsonb_build_object(
         'organization', 'org_1', 'revision', $1::int, 'hash', repeat('a', 64), 'signature', '')) where number = 1`,
      [revision],
    );
    expect((await new AuditVerification(postgres, signer, NO_WATCH).verdict('org_1')).firstInvalid).toEqual({
      revision,
      finding: 'unsigned',
    });
    await close();
    ({ signing, close } = await openSigning(database.url, sealing));
    await signing.sign();
    await run('reseal', '--all', '--reason', 'Forged.');
    await signing.sign();
    expect(await new AuditVerification(postgres, signer, NO_WATCH).verdict('org_1')).toMatchObject({
      valid: true,
      unsealed: 0,
    });
  });

  it('is refused, and recorded nowhere, where the signed heads themselves do not hold', async () => {
    await recorded(1, postgres);
    await signing.sign();
    await pool.query(`update head_statements set signature = ''`);
    await recorded(1, postgres);
    await expect(run('reseal', '--organization', 'org_1', '--reason', 'x')).rejects.toThrow(
      'reseal --all --reason TEXT',
    );
    expect(await postgres.readBack({ organization: 'org_1', limit: 9 })).toHaveLength(2);
    expect(await run('reseal', '--all', '--reason', 'x')).toContain('of 1 organizations are signed as they are now');
  });

  let postgres: EventStore;
  let signing: HeadSigning;
  let close: () => Promise<void>;

  beforeEach(async () => {
    isPostgres = true;
    postgres = await openEventStore({ databaseUrl: database.url, auditSigningKey: sealing.key });
    ({ signing, close } = await openSigning(database.url, sealing));
  });
  afterEach(async () => {
    await close();
    await postgres.close();
  });
});

async function recorded(count: number, into = store): Promise<void> {
  const events = Array.from({ length: count }, (_, n) => event({ n }));
  await appended(into, freshStream('org_1'), 'no-stream', events);
}

async function run(...args: string[]): Promise<string> {
  const output = new PassThrough({ encoding: 'utf8' });
  const eventStoreUrl = isPostgres ? undefined : double.url;
  const installation = { databaseUrl: database.url, eventStoreUrl, signingKey: sealing.key, isRunning: false };
  await audit(args, { open: () => Promise.resolve({ ...installation, close: () => Promise.resolve() }), output });
  return String(output.read());
}

let isPostgres: boolean;
let database: TestDatabase;
let pool: Pool;
let double: EventStoreDbDouble;
let driver: EventStoreDBClient;
let store: EventStore;

beforeEach(async () => {
  isPostgres = false;
  database = await createTestDatabase();
  pool = openPool({ url: database.url, name: 'spec', max: 2 });
  await addPublicKey(pool, sealing.key);
  double = await EventStoreDbDouble.start();
  driver = EventStoreDBClient.connectionString(double.url);
  store = await openEventStore(
    { databaseUrl: database.url, eventStoreUrl: double.url },
    { ...sealing, database: pool },
  );
});
afterEach(async () => {
  await store.close();
  await driver.dispose();
  double.stop();
  await pool.end();
  await database.drop();
});
