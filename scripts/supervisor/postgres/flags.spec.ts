import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client } from 'pg';
import { waitUntil } from '@test/wait-until';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { freePort } from '../ports';
import { openCluster, POSTGRES_USER } from './cluster';
import { postgresFlags } from './flags';

describe('the embedded server', () => {
  it('logs that a row is not unique, and not what is in it', async () => {
    const { directory, owner, postgres } = await openCluster(
      temporaryFolder('flags', 0o755),
      'secret',
      () => undefined,
    );
    const port = await freePort();
    const stdio = ['ignore', 'ignore', 'pipe'] as const;
    const server = spawn(postgres, ['-D', directory, ...postgresFlags(port)], {
      ...owner,
      cwd: '/',
      stdio: [...stdio],
    });
    let log = '';
    server.stderr.on('data', (bytes: Buffer) => (log += bytes.toString()));
    await waitUntil(() => log.includes('ready to accept connections'));
    const url = `postgres://${POSTGRES_USER}:secret@127.0.0.1:${port}/postgres`;
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query('create table people (email text unique)');
    const insert = () => client.query('insert into people values ($1)', ['ada@example.com']);
    await insert();
    await expect(insert()).rejects.toMatchObject({ code: '23505' });
    await client.end();
    server.kill('SIGINT');
    await once(server, 'exit');
    expect(log).toContain('duplicate key value violates unique constraint');
    expect(log).not.toContain('ada@example.com');
  });
});
