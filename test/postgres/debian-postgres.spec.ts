import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { explain } from '@ledgerline/platform/config/start-failure';
import { checkPostgresServer, NEEDED_CONNECTIONS } from '@ledgerline/platform/database/check-server';
import { migrate } from '@ledgerline/platform/database/migrate';
import { embeddedVariables } from '../../scripts/supervisor/environment';
import { loadSecrets } from '../../scripts/supervisor/secrets';
import { root, untilAnswer } from '../journeys/product';
import { Installation } from '../reliability/installation';
import { AS_BROWSER, newTenant, rowsOf, type Tenant } from '../reliability/tenant';
import { debianCluster, describeOnDebianPostgres, startPgBouncer, type Pooler } from './debian-postgres';
import { TestServer } from './server';

jest.setTimeout(300_000);

describeOnDebianPostgres('on a Postgres of Debian, behind PgBouncer in session mode', () => {
  let server: TestServer;
  let pooler: Pooler;
  let place: Installation;
  let tenant: Tenant;

  beforeAll(async () => {
    server = await TestServer.start(debianCluster, ODD);
    pooler = await startPgBouncer(server.folder, server.url);
    place = await Installation.open(
      { api: 1, tracker: 1, projector: 1 },
      {},
      {
        through: async () => {
          await migrate(pooler.url);
          return pooler.url;
        },
      },
    );
    tenant = await newTenant(place.url('api'));
  });
  afterAll(async () => {
    await place.close();
    await pooler.stop();
    await server.remove();
  });

  it('records clicks and page views, and counts them', async () => {
    const tracker = place.url('tracker');
    const views = JSON.stringify([{ name: 'screen_view', path: 'https://example.com/a' }]);
    const post = () =>
      fetch(`${tracker}/batch?client_id=${tenant.websiteId}`, { method: 'POST', body: views, headers: AS_BROWSER });
    await untilAnswer(post, ({ status }) => status === 200);
    const click = () => fetch(`${tracker}/${tenant.slug}`, { redirect: 'manual', headers: AS_BROWSER });
    await untilAnswer(click, ({ status }) => status === 302);
    const answer = (type: string, about: 'website' | 'link') => rowsOf(place.url('api'), tenant, type, about);
    await untilAnswer(
      () => answer('top_pages', 'website'),
      ([row]) => row?.['name'] === '/a' && Number(row['pageviews']) > 0,
    );
    await untilAnswer(
      () => answer('link_total_clicks', 'link'),
      ([row]) => row?.['total'] === 1,
    );
  });

  it('is compared with the log, and rebuilt', async () => {
    expect(await tool('projections', 'reconcile')).toContain('All tables are as the log says.');
    expect(await tool('projections', 'verify', 'links')).toContain('equal');
    const [row] = await query<{ passes: number }>('select count(checked_at)::int as passes from reconciliations');
    expect(row?.passes).toBeGreaterThan(0);
  });

  it('proves both histories', async () => {
    const headers = { cookie: tenant.cookie };
    const verify = () =>
      fetch(`${place.url('api')}/v1/audit-log/verify?organizationId=${tenant.organizationId}`, { headers });
    expect(await (await verify()).json()).toMatchObject({ valid: true });
    const said = await tool('audit', 'verify', '--intake'); // heads are signed sooner or later
    expect(said).toMatch(/^(VALID|CONSISTENT, BUT NOT PROVEN): the chains of the intake log hold over /);
  });

  it('ends the start with a sentence where it cannot be used', async () => {
    await query(`create role weak login password 'weak'`);
    await query('create database weak');
    const at = (change: (url: URL) => void, from = server.url) => {
      const url = new URL(from);
      change(url);
      return url.href;
    };
    const failures = {
      [at((url) => (url.password = 'wrong'))]: 'wrong user or password',
      [at((url) => (url.pathname = '/nowhere'))]: 'there is no such database',
      [at((url) => Object.assign(url, { username: 'weak', password: 'weak', pathname: '/weak' }))]:
        'permission denied for schema public',
      [at((url) => url.searchParams.set('sslmode', 'require'))]: 'it does not offer TLS, which sslmode asks for',
      [at((url) => url.searchParams.set('options', '-c jit=off'), pooler.url)]:
        'unsupported startup parameter: options',
    };
    for (const [url, reason] of Object.entries(failures)) {
      const failure: unknown = await migrate(url).catch((error: unknown) => error);
      expect(explain(failure)).toBe(
        `The database cannot be used (${reason}); check DATABASE_URL and that the server is running.`,
      );
    }
  });

  it.each([
    [{ pool_mode: 'transaction' }, 'set it to session mode'],
    [{ pool_mode: 'transaction', default_pool_size: 1 }, 'set it to session mode'],
    [{ default_pool_size: 1 }, 'has 1 of the 40 connections'],
    [{ default_pool_size: 20 }, 'has 20 of the 40 connections'],
    [{ default_pool_size: 40 }, undefined],
  ])('names a pooler that cannot be used: %p', async (settings, sentence) => {
    const other = await startPgBouncer(server.folder, server.url, settings);
    const failure: unknown = await checkPostgresServer(other.url, NEEDED_CONNECTIONS.api).catch(
      (error: unknown) => error,
    );
    await other.stop();
    expect(explain(failure)).toEqual(sentence === undefined ? undefined : expect.stringContaining(sentence));
  });

  const tool = async (name: string, ...args: string[]): Promise<string> => {
    const env = { ...process.env, ...embeddedVariables(pooler.url, loadSecrets(place.folder)) };
    const call = promisify(execFile)(process.execPath, [join(root, 'dist', 'scripts', `${name}.js`), ...args], { env });
    const { stdout, stderr } = await call.catch((error: unknown) => error as { stdout: string; stderr: string });
    return stdout + stderr;
  };

  async function query<Row extends object>(text: string): Promise<Row[]> {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }
});

/** Settings that an administrator may have made for other programs. */
const ODD = {
  datestyle: 'SQL,DMY',
  intervalstyle: 'sql_standard',
  timezone: 'Asia/Kolkata',
  bytea_output: 'escape',
  extra_float_digits: '0',
  default_transaction_isolation: 'serializable',
  statement_timeout: '1s',
  idle_session_timeout: '5s',
};
