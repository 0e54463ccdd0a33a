import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Pool } from 'pg';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { keyIdOf } from '@ledgerline/platform/event-store/head-statement';
import { StatementChain } from '@ledgerline/platform/event-store/statement-chain';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { signIntakeHeads } from '@ledgerline/platform/intake-log/signed-intake-heads';
import { sealing } from '@test/event-store/laws/harness';
import { removeNewestSegment } from '@test/intake-log/forge-segment';
import { hit } from '@test/intake-log/hits.fixture';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { audit } from './audit';
import { pemOf } from './kept-proofs';

describe('npm run audit -- verify --intake', () => {
  it('proves a log that runs through the heads that were signed, and says that newer events came later', async () => {
    await sign();
    expect(await run('verify', '--intake')).toEqual({ code: 0, text: `${VALID(10, 5)}\n${NEWEST(10)}\n` });
    await send(5);
    expect(await run('verify', '--intake')).toEqual({ code: 0, text: `${VALID(12, 6)}\n${NEWEST(10)}\n` });
  });

  it('proves nothing where no heads were signed', async () =>
    expect(await run('verify', '--intake')).toEqual({
      code: 3,
      text: 'CONSISTENT, BUT NOT PROVEN: the chains of the intake log hold over 10 events in 5 segments. No heads were signed, so events may be missing at the end.\n',
    }));

  it('names the segment in which one byte was changed', async () => {
    const { rows } = await pool.query<{ partition: number; offset: string }>(
      'select partition, first_offset as offset from intake_segments order by 1, 2 limit 1 offset 2',
    );
    const { partition, offset } = rows[0]!;
    const flip = 'update intake_segments set payload = set_byte(payload, 7, get_byte(payload, 7) # 1)';
    await pool.query(`${flip} where partition = $1 and first_offset = $2`, [partition, offset]);
    expect(await run('verify', '--intake')).toEqual({
      code: 2,
      text: `NOT VALID: the intake log, partition ${partition}, offset ${offset}: the payload of the segment was changed.\n`,
    });
  });

  it('names the segment whose payload is missing, though the chains run through the signed heads', async () => {
    await sign();
    await pool.query('update intake_segments set payload = null where partition = 1 and first_offset = 8');
    expect(await run('verify', '--intake')).toEqual({
      code: 2,
      text: `NOT VALID: the intake log, partition 1, offset 8: the payload of the segment is missing.\n${NEWEST(10)}\n`,
    });
  });

  it('names what is missing where the last segment was deleted and the head set back, also once the log has grown again', async () => {
    await sign();
    await removeNewestSegment(pool);
    expect(await run('verify', '--intake')).toEqual({
      code: 2,
      text: `NOT VALID: the intake log, partition 1, offset 8: the events from here on, which were signed, are missing.\n${NEWEST(10)}\n`,
    });
    await send(6);
    expect(await run('verify', '--intake')).toEqual({
      code: 2,
      text: `NOT VALID: the intake log, partition 1, offset 10: the segments up to here are not those that were read or signed before.\n${NEWEST(10)}\n`,
    });
  });

  it('compares with heads that were kept, where the event store was shortened together with the log', async () => {
    await sign();
    const file = keep((await run('heads')).text);
    await pool.query('delete from events');
    await removeNewestSegment(pool);
    expect((await run('verify', '--intake')).code).toBe(3);
    expect(await run('verify', '--intake', '--heads', file)).toMatchObject({
      code: 2,
      text: expect.stringContaining('offset 8: the events from here on') as string,
    });
  });

  it('is not valid with kept heads that were changed', async () => {
    await sign();
    const { text } = await run('heads');
    const { heads, ...kept } = JSON.parse(text) as { heads: object[] };
    for (const changed of ['{}', text.slice(1), JSON.stringify({ ...kept, heads: heads.slice(1) })])
      expect(await run('verify', '--intake', '--heads', keep(changed))).toEqual({
        code: 2,
        text: expect.stringMatching(
          /^NOT VALID: \S+ (is no output of "npm run audit -- heads"|names \w+, which is no trusted key), or was changed\.\n$/,
        ) as string,
      });
    await expect(run('verify', '--intake', '--heads', join(folder, 'none'))).rejects.toThrow('none cannot be read.');
  });

  it('trusts the keys that it is given, else those of the installation', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    await sign();
    expect(await run('verify', '--intake', '--public-key', keep(pemOf(publicKey)))).toMatchObject({
      code: 2,
      text: expect.stringContaining(`name ${keyIdOf(sealing.key)}, which is no trusted key`) as string,
    });
    await send(7);
    await new StatementChain({ database: pool, key: privateKey, formerKey: sealing.key }).vouch();
    await sign(privateKey);
    expect((await run('verify', '--intake', '--public-key', keep(pemOf(publicKey)))).code).toBe(0);
    expect((await run('verify', '--intake')).code).toBe(2);
  });

  it('says that an operator had the log signed as it was', async () => {
    await sign();
    await removeNewestSegment(pool);
    expect((await run('heads', '--restart')).code).toBe(0);
    const { code, text } = await run('verify', '--intake');
    expect(code).toBe(0);
    expect(text).toMatch(/\n  An operator had the log of \S+Z signed as it was, whatever was signed before.\n$/);
  });

  it('refuses arguments that do not go together', async () => {
    for (const args of [
      ['heads', '--intake'],
      ['verify', '--intake', '--restart'],
      ['verify', 'a.ndjson', '--heads', 'b'],
      ['heads', 'a'],
    ])
      await expect(run(...args)).rejects.toThrow('These arguments do not go together');
  });

  const VALID = (events: number, segments: number) =>
    `VALID: the chains of the intake log hold over ${events} events in ${segments} segments, and run through the heads that were signed.`;
  const NEWEST = (events: number) =>
    `  The newest heads name ${events} events: signed 2026-11-01T00:00:00.000Z with key ${keyIdOf(sealing.key)}.`;

  let database: TestDatabase;
  let pool: Pool;
  let log: IntakeLog;
  let store: EventStore;
  let folder: string;
  let files = 0;

  beforeEach(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'ledgerline-heads-'));
    pool = new Pool({ connectionString: database.url });
    store = await openEventStore({ databaseUrl: database.url, auditSigningKey: sealing.key });
    log = await openIntakeLog({ databaseUrl: database.url, partitions: 2 });
    for (let n = 0; n < 5; n++) await send(n);
  });
  afterEach(async () => {
    await Promise.all([log.close(), store.close(), pool.end()]);
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const send = (n: number) => log.send([hit(`${n}-a`), hit(`${n}-b`)]);

  const sign = (key = sealing.key) =>
    signIntakeHeads({ store, database: pool, key, app: 'spec' }, new Date('2026-11-01T00:00:00Z'));

  function keep(text: string): string {
    const file = join(folder, String(files++));
    writeFileSync(file, text);
    return file;
  }

  async function run(...args: string[]): Promise<{ code: number; text: string }> {
    const output = new PassThrough({ encoding: 'utf8' });
    const installation = { databaseUrl: database.url, eventStoreUrl: undefined, signingKey: sealing.key };
    const open = () => Promise.resolve({ ...installation, isRunning: false, close: () => Promise.resolve() });
    const code = await audit(args, { open, output });
    return { code, text: String(output.read()) };
  }
});
