import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { WebsiteDetails } from '@ledgerline/contracts/events/organization.events';
import type { JsonObject } from '@ledgerline/contracts/json';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { openPool } from '@ledgerline/platform/database/pool';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { allOf } from '@test/tracker/all-of';
import { waitUntil } from '@test/wait-until';
import { runImport, IMPORT_USAGE, type CommandIo } from './import-command';

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
const line = (path: string) =>
  `192.0.2.1 - - [17/May/2015:10:00:00 +0200] "GET ${path} HTTP/1.1" 200 5 "-" "${CHROME}"\n`;
const CADDY = JSON.stringify({
  ts: 1772359205.25,
  msg: 'handled request',
  request: {
    client_ip: '192.0.2.1',
    method: 'GET',
    host: 'example.com',
    uri: '/',
    headers: { 'User-Agent': [CHROME] },
  },
  status: 200,
});

describe('npm run import', () => {
  it('in a dry run counts what would be added, and stores nothing', async () => {
    const printed = await importing(['--dry-run', await file('a.log', line('/a') + line('/b') + line('/c.png'))]);
    expect(rows(printed)).toMatchObject({
      lines: 3,
      'page views': 2,
      'to be added': 2,
      'already imported': 0,
      skipped: 1,
    });
    expect(printed).toContain('This was a dry run: nothing was stored.');
    expect(await stored()).toEqual({ events: 0, secrets: 0 });
  });

  it('stores page views and prints a table', async () => {
    const printed = await importing([await file('a.log', line('/a') + line('/b'))]);
    expect(rows(printed)).toMatchObject({ lines: 2, 'page views': 2, added: 2, 'already imported': 0 });
    expect(await stored()).toEqual({ events: 2, secrets: 1 });
    expect(rows(await importing(['--dry-run', await file('a.log', line('/a') + line('/new'))]))).toMatchObject({
      'to be added': 1,
      'already imported': 1,
    });
    expect(await stored()).toEqual({ events: 2, secrets: 1 });
  });

  it('reads what is piped in, beside patterns', async () => {
    await file('b.1', line('/b1'));
    await file('b.2', '');
    const printed = await importing(['-', join(folder, 'b.*')], {
      stdin: Readable.from([line('/piped')], { objectMode: false }),
    });
    expect(rows(printed)).toMatchObject({ lines: 2, added: 2 });
    expect(printed).toContain(`Warning: ${join(folder, 'b.2')} has no lines.`);
  });

  it('takes the virtual hosts of the website, or those that are chosen, and names the others', async () => {
    const hosts = ['www.example.com:443', 'EXAMPLE.com.', 'other.test:443', 'other.test'].map(
      (host) => `${host} ${line('/of-host')}`,
    );
    const absolute = ['http://third.test/of-host', 'http://example.com:8080/of-host'].map(line);
    const path = await file('hosts.log', [...hosts, ...absolute].join(''));
    const printed = await importing([path]);
    expect(rows(printed)).toMatchObject({ lines: 6, added: 3, 'other virtual hosts': 3 });
    expect(printed).toContain(
      'Warning: 3 lines were not counted: they are of other virtual hosts, other.test (2), third.test (1); --host chooses others.',
    );
    const views = (await all()).filter(({ data }) => 'path' in data && data.path === '/of-host');
    expect(new Set(views.map(({ data }) => 'visitorId' in data && data.visitorId)).size).toBe(1);
    const chosen = ['--host', 'Other.test', '--host', 'third.test:80', path];
    expect(rows(await importing(chosen))).toMatchObject({ added: 3, 'other virtual hosts': 3 });
    await expect(importing(['--host', 'shop.test', path])).rejects.toThrow(
      'no line is of a host of the website. Choose with --host among example.com (2), other.test (2),',
    );
  });

  it('names the types of files that it skips, with an example', async () =>
    expect(
      await importing(['--dry-run', await file('t.log', line('/a/b.CSS?x') + line('/c.css') + line('/d'))]),
    ).toMatch(/\.css, as \/a\/b\.CSS\?x +│ +2 │/));

  it('reads one format alone, where it is named', async () => {
    const path = await file('formats.log', `${line('/f')}${CADDY}\n`);
    expect(rows(await importing(['--dry-run', path]))).toMatchObject({ lines: 2, 'page views': 2 });
    const printed = await importing(['--dry-run', '--format', 'caddy-json', path]);
    expect(rows(printed)).toMatchObject({ lines: 2, 'page views': 1, 'in no known format': 1 });
    expect(printed).toContain(`Lines in no known format (tried: caddy-json):\n  ${path}:1`);
  });

  it('prints the table when it is interrupted', async () => {
    const stdin = new PassThrough();
    const stopping = new AbortController();
    stdin.write(line('/endless'));
    const importsIt = importing(['-'], { stdin, signal: stopping.signal });
    await waitUntil(() => stdin.readableLength === 0 && stdin.listenerCount('readable') > 0);
    stopping.abort();
    const printed = await importsIt;
    expect(rows(printed)).toMatchObject({ lines: 1 });
    expect(printed).toContain('Interrupted: the same command goes on where it was.');
  });

  it('prints the table when it fails too', async () => {
    const printed: string[] = [];
    const failing = importing([await file('x.log', 'no access log')], { print: (text) => void printed.push(text) });
    await expect(failing).rejects.toThrow(
      /^Nothing was imported: no line is a request in a known format \(tried: combined, /,
    );
    expect(rows(printed.join('\n'))).toMatchObject({ lines: 1, skipped: 1 });
  });

  it('takes a changed website as it is, and no deleted one', async () => {
    await change(0, 'WebsiteUpdated', { ...WEBSITE, domain: 'new.example', before: WEBSITE });
    await importing([await file('c.log', line('/c').replace('"-"', '"https://new.example/x"'))]);
    expect((await all()).at(-1)).toMatchObject({ data: { referrer: { host: 'new.example', own: true } } });
    await change(1, 'WebsiteDeleted', { organizationId: WEBSITE.organizationId, name: 'Shop' });
    await expect(importing([join(folder, 'c.log')])).rejects.toThrow(new StartFailure('There is no website site_1.'));
  });

  it.each([
    [['access.log']],
    [['--website', 'site_1']],
    [['--website', 'site_1', '--wrong', 'access.log']],
    [['--website', 'site_1', '--format', 'wrong', 'access.log']],
  ])('explains itself: %j', async (args) =>
    expect(runImport(args, io())).rejects.toThrow(new StartFailure(IMPORT_USAGE)),
  );
});

const folder = temporaryFolder('import-command');
const WEBSITE: WebsiteDetails = {
  organizationId: 'org_1',
  name: 'Shop',
  domain: 'example.com',
  isPublic: false,
  allowedOrigins: [],
  timezone: 'Europe/Berlin',
  visitorIdentity: 'stable',
  retentionDays: null,
};

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await change('no-stream', 'WebsiteRegistered', { ...WEBSITE });
});
afterAll(() => database.drop());

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

const io = (other: Partial<CommandIo> = {}): CommandIo => ({
  variables: { DATABASE_URL: database.url },
  stdin: Readable.from([]),
  signal: new AbortController().signal,
  print: () => undefined,
  ...other,
});

async function importing(args: readonly string[], other: Partial<CommandIo> = {}): Promise<string> {
  const printed: string[] = [];
  await runImport(['--website', 'site_1', ...args], io({ print: (text) => void printed.push(text), ...other }));
  return printed.join('\n');
}

/** The rows of the table that was printed. */
const rows = (printed: string): Record<string, number> =>
  Object.fromEntries(
    [...printed.matchAll(/│ +(\S.*?) +│ +([\d,]+) │/g)].map(([, name = '', count]) => [name, Number(count)]),
  );

async function all(): Promise<ObservedEvent[]> {
  const log = await openIntakeLog({ databaseUrl: database.url });
  try {
    return await allOf(log);
  } finally {
    await log.close();
  }
}

async function stored(): Promise<{ events: number; secrets: number }> {
  const pool = openPool({ url: database.url, name: 'spec', max: 1 });
  try {
    const { rows: secrets } = await pool.query('select from import_secrets');
    return { events: (await all()).length, secrets: secrets.length };
  } finally {
    await pool.end();
  }
}

async function change(
  expected: 'no-stream' | number,
  type: string,
  data: JsonObject | Record<string, unknown>,
): Promise<void> {
  const store = await openEventStore({ databaseUrl: database.url });
  const event = { id: randomUUID(), type, data: { websiteId: 'site_1', ...data } as JsonObject, metadata: {} };
  await store.append('org_1-website-site1', expected, [event]);
  await store.close();
}
