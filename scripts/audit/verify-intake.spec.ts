import { PassThrough } from 'node:stream';
import { openIntakeLog } from '@ledgerline/platform/intake-log/intake-log.factory';
import { Pool } from 'pg';
import { sealing } from '../../test/event-store/laws/harness';
import { hit } from '../../test/intake-log/hits.fixture';
import { createTestDatabase, type TestDatabase } from '../../test/postgres/test-database';
import { audit } from './audit';

describe('npm run audit -- verify --intake', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url });
    const log = await openIntakeLog({ databaseUrl: database.url, partitions: 2 });
    for (let n = 0; n < 5; n++) await log.send([hit(`${n}-a`), hit(`${n}-b`)]);
    await log.close();
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const verify = async (): Promise<{ code: number; text: string }> => {
    const output = new PassThrough({ encoding: 'utf8' });
    const installation = { databaseUrl: database.url, eventStoreUrl: undefined, signingKey: sealing.key };
    const open = () => Promise.resolve({ ...installation, isRunning: false, close: () => Promise.resolve() });
    const code = await audit(['verify', '--intake'], { open, output });
    return { code, text: String(output.read()) };
  };

  it('proves an untouched log', async () =>
    expect(await verify()).toEqual({
      code: 0,
      text: 'VALID: the chains of the intake log hold over 10 events in 5 segments.\n',
    }));

  it('names the segment in which one byte was changed', async () => {
    const { rows } = await pool.query<{ partition: number; offset: string }>(
      'select partition, first_offset as offset from intake_segments order by 1, 2 limit 1 offset 2',
    );
    const { partition, offset } = rows[0]!;
    const flip = 'update intake_segments set payload = set_byte(payload, 7, get_byte(payload, 7) # 1)';
    await pool.query(`${flip} where partition = $1 and first_offset = $2`, [partition, offset]);
    expect(await verify()).toEqual({
      code: 2,
      text: `NOT VALID: the intake log, partition ${partition}, offset ${offset}: the payload of the segment was changed.\n`,
    });
  });
});
