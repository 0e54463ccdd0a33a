import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Client } from 'pg';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { waitUntil } from '@test/wait-until';
import { freePort } from '../../../test/network/free-port';
import { openCluster, POSTGRES_USER } from './cluster';
import { postgresFlags } from './embedded';

describe('the embedded server', () => {
  it('logs that a row is not unique, and not what is in it', async () => {
    await client.query('create table people (email text unique)');
    const insert = () => client.query('insert into people values ($1)', ['ada@example.com']);
    await insert();
    await expect(insert()).rejects.toMatchObject({ code: '23505' });
    await waitUntil(() => log.includes('duplicate key value violates unique constraint'));
    expect(log).not.toContain('ada@example.com');
  });

  it('takes no CPU to compress whole pages for the write-ahead log', async () => {
    expect((await client.query('show wal_compression')).rows).toEqual([{ wal_compression: 'off' }]);
  });

  let server: ChildProcess;
  let client: Client;
  let log = '';

  beforeAll(async () => {
    const folder = temporaryFolder('flags', 0o755);
    const { directory, owner, postgres } = await openCluster(folder, 'secret', () => undefined);
    const port = await freePort();
    const flags = ['-D', directory, ...postgresFlags(port)];
    server = spawn(postgres, flags, { ...owner, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
    server.stderr?.on('data', (bytes: Buffer) => (log += bytes.toString()));
    await waitUntil(() => log.includes('ready to accept connections'));
    client = new Client({ connectionString: `postgres://${POSTGRES_USER}:secret@127.0.0.1:${port}/postgres` });
    await client.connect();
  });

  afterAll(async () => {
    await client.end();
    server.kill('SIGINT');
    await once(server, 'exit');
  });
});
