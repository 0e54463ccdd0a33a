import { generateKeyPairSync } from 'node:crypto';
import { Pool } from 'pg';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { guardedDouble } from '@test/event-store/eventstoredb-double/guarded-double';
import { sealing, signedBy } from '@test/event-store/laws/harness';
import { removeNewestSegment } from '@test/intake-log/forge-segment';
import { hit } from '@test/intake-log/hits.fixture';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { waitUntil } from '@test/wait-until';
import { copyEvents, verifyCopy } from '../../../../scripts/migrate-store/copy-events';
import type { EventStore } from '../event-store/event-store';
import { verifySignature } from '../event-store/head-statement';
import { verifyChain } from '../event-store/verify-chain';
import { LogTampered } from '../log/log-reader';
import type { IntakeLog } from './intake-log';
import { openIntakeLog } from './postgres-intake-log';
import {
  restartIntakeHeads,
  signIntakeHeads,
  readIntakeHeads,
  readSignedHeads,
  SignedHeadsLost,
  signedHeadsWarnings,
} from './signed-intake-heads';

describe.each(['Postgres', 'EventStoreDB'])('the heads of the intake log, signed and kept in %s', (kind) => {
  it('are signed once for all partitions, whenever something was added', async () => {
    expect(await sign()).toBeUndefined();
    await send(3);
    const first = await sign();
    expect(first!.revision).toBe(0);
    expect(first!.signed).toMatchObject(await readIntakeHeads(pool));
    expect(first!.signed.heads.reduce((sum, { offset }) => sum + offset, 0)).toBe(3);
    expect(verifySignature(first!.signed, signedBy)).toBe('valid');
    expect(await sign()).toEqual(first);
    await send(1);
    await Promise.all([sign(), sign(), sign()]);
    expect((await readSignedHeads(store))!.revision).toBe(1);
  });

  it('are not signed where the log was shortened or rewritten, until an operator says so', async () => {
    await send(4);
    const before = await sign();
    await removeNewestSegment(pool);
    await expect(sign()).rejects.toThrow(
      /^The intake log is not what was written: partition \d, offset \d+: the segments up to here/,
    );
    await send(6);
    await expect(sign()).rejects.toThrow(LogTampered);
    expect(await readSignedHeads(store)).toEqual(before);
    await restartIntakeHeads(parts(), new Date('2026-11-01T00:00:00Z'));
    await send(1);
    expect((await sign())!.signed).toMatchObject({
      restartedAt: '2026-11-01T00:00:00.000Z',
      ...(await readIntakeHeads(pool)),
    });
  });

  (kind === 'EventStoreDB' ? it : it.skip)(
    'go on in another stream, once an operator says so, after a tombstone',
    async () => {
      await send(2);
      await sign();
      tombstone('global-intake-heads');
      await send(1);
      await expect(sign()).rejects.toThrow(SignedHeadsLost);
      expect(await signedHeadsWarnings(store)).toHaveLength(1);
      await restartIntakeHeads(parts(), new Date());
      expect(await signedHeadsWarnings(store)).toEqual([]);
      await send(1);
      expect((await sign())!).toMatchObject({ stream: 'global-intake-heads.2', revision: 1 });
    },
  );

  it('are not signed behind heads that another key signed, nor for another log', async () => {
    await send(1);
    const { privateKey: key } = generateKeyPairSync('ed25519');
    await signIntakeHeads({ ...parts(), key }, new Date()); // its key is in the table
    await expect(sign()).rejects.toThrow('were not signed with a key of this installation');
    await restartIntakeHeads(parts(), new Date());
    await pool.query('update intake_log set epoch = gen_random_uuid()');
    await expect(sign()).rejects.toThrow('it is another log than the one whose heads were signed at');
  });

  it('are not signed where the head of a partition does not end its chain', async () => {
    await send(1);
    await pool.query(`update intake_heads set chain = sha256('x') where next_offset > 0`);
    await expect(sign()).rejects.toThrow('the head of the partition does not end the chain');
    expect(await readSignedHeads(store)).toBeUndefined();
  });

  // an EventStoreDB deletes no single events
  (kind === 'Postgres' ? it : it.skip)('are not signed anew where the newest of them were deleted', async () => {
    await send(1);
    await sign();
    await pool.query('delete from events');
    await expect(sign()).rejects.toThrow('The intake log cannot be signed: its newest signed heads are gone');
  });

  it('are copied to another event store, in a chain of their own', async () => {
    await send(2);
    const signed = await sign();
    const server = await guardedDouble();
    const postgres = await createTestDatabase();
    const other = { databaseUrl: '', eventStoreUrl: server.url() };
    const address = kind === 'Postgres' ? other : { databaseUrl: postgres.url };
    const target = await openEventStore(address, sealing);
    await sealed();
    await copyEvents(store, target);
    await verifyCopy(store, target, { signedBy });
    expect(await readSignedHeads(target)).toEqual(signed);
    await target.close();
    server.stop();
    await postgres.drop();
  });

  const parts = () => ({ store, database: pool, key: sealing.key, app: 'spec' });
  const sign = async () => {
    await signIntakeHeads(parts(), new Date());
    return readSignedHeads(store);
  };
  const sealed = () =>
    waitUntil(
      () => verifyChain(store, 'global'),
      ({ unsealed }) => unsealed === 0,
    );

  let database: TestDatabase;
  let pool: Pool;
  let log: IntakeLog;
  let store: EventStore;
  let stop: () => void = () => undefined;
  let tombstone: (stream: string) => void = () => undefined;
  let sent = 0;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url });
    log = await openIntakeLog({ databaseUrl: database.url, partitions: 2 });
    const server = kind === 'EventStoreDB' ? await guardedDouble() : undefined;
    stop = () => server?.stop();
    tombstone = (stream) => server?.double.log.tombstone(stream);
    store = await openEventStore({ databaseUrl: database.url, eventStoreUrl: server?.url() }, sealing);
  });
  afterEach(async () => {
    await Promise.all([log.close(), store.close()]);
    stop();
    await pool.end();
    await database.drop();
  });

  async function send(count: number): Promise<void> {
    for (let n = 0; n < count; n++) await log.send([hit(`hit ${sent++}`, { subject: `site_${n}` })]);
  }
});
