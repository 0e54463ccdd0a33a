import type { Website } from '@ledgerline/contracts/records';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { PageViewed } from '@ledgerline/contracts/events/observed-events';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/intake-log.factory';
import { createTestDatabase, type TestDatabase } from '../../../../test/postgres/test-database';
import { allOf } from '../../../../test/tracker/all-of';
import { HitsPerVisitor } from '../visitors/hits-per-visitor';
import { runImport } from './import-command';
import { importFiles } from './import-files';
import { ImportIdentity } from './import-identity';
import { reportTable } from './report-table';

const CHROME =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/33.0.1750.91 Safari/537.36';

function line({
  ip = '192.0.2.1',
  time = '10:00:00',
  request = 'GET / HTTP/1.1',
  status = 200,
  from = '-',
  ua = CHROME,
}) {
  return `${ip} - - [17/May/2015:${time} +0200] "${request}" ${status} 123 "${from}" "${ua}"`;
}

const LINES = [
  line({}),
  line({}),
  line({ time: '10:00:05', request: 'GET /a/?utm_source=mail HTTP/1.1', from: 'https://www.example.com/x' }),
  line({ ip: '192.0.2.2', request: 'GET /b.html HTTP/1.1', status: 304, from: 'http://www.google.com/url?q=secret' }),
  line({ request: 'POST /a HTTP/1.1' }),
  line({ request: 'GET /missing HTTP/1.1', status: 404 }),
  line({ request: 'GET /logo.png HTTP/1.1' }),
  line({ request: 'GET /?flav=rss20 HTTP/1.1' }),
  line({ ua: '-' }),
  line({ ua: 'Googlebot/2.1' }),
  'this is no line of an access log',
  '',
];

describe('an import', () => {
  let database: TestDatabase;
  let log: IntakeLog;
  let folder: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    log = await openIntakeLog({ databaseUrl: database.url });
    folder = await mkdtemp(join(tmpdir(), 'ledgerline-import-'));
    await writeFile(join(folder, 'access.log'), LINES.join('\n'));
    await writeFile(join(folder, 'access.log.gz'), gzipSync(LINES.join('\r\n')));
  });
  afterAll(async () => {
    await log.close();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const importing = (file: string, most = 10_000) =>
    importFiles([join(folder, file)], {
      website,
      identity: new ImportIdentity(website.id, Buffer.alloc(32, 7)),
      geo: { locate: () => ({ country: 'NL', region: null, city: null }) },
      hitsPerVisitor: new HitsPerVisitor(most, () => undefined),
      log,
      now: Date.now,
      onBytes: () => undefined,
    });

  it('makes page views and counts the rest by reason', async () => {
    const report = await importing('access.log');
    expect(report).toEqual({
      lines: 11,
      added: 4,
      known: 0,
      withoutVisitor: 0,
      skipped: { unparseable: 1, method: 1, status: 1, file: 1, feed: 1, no_user_agent: 1, bot: 1, time: 0 },
      unparseable: [`${join(folder, 'access.log')}:11`],
    });
    expect(reportTable(report, 2)).toContain('events per second');
  });

  it('adds nothing when the file comes again, packed or not', async () => {
    expect(await importing('access.log')).toMatchObject({ added: 0, known: 4 });
    expect(await importing('access.log.gz')).toMatchObject({ added: 0, known: 4 });
    expect(await allOf(log)).toHaveLength(4);
  });

  it('keeps what one visitor has beyond the daily limit, without visitor', async () => {
    await writeFile(
      join(folder, 'busy.log'),
      [1, 2, 3, 4].map((n) => line({ request: `GET /busy/${n} HTTP/1.1` })).join('\n'),
    );
    const report = await importing('busy.log', 2);
    expect(report).toMatchObject({ added: 4, withoutVisitor: 2 });
    expect(reportTable(report, 1)).toContain('without visitor');
    const views = ((await allOf(log)) as PageViewed[]).filter(({ data }) => data.path.startsWith('/busy/'));
    expect(views.map(({ data }) => data.visitorId === null)).toEqual([false, false, true, true]);
  });

  it.each([
    ['nothing', ''],
    ['empty lines', '\n\n'],
    ['other lines', 'this is no line of an access log\nneither is this'],
  ])('of a file that holds %s is refused', async (_, text) => {
    await writeFile(join(folder, 'other.log'), text);
    await expect(importing('other.log')).rejects.toThrow(
      new StartFailure(`Nothing was imported: ${join(folder, 'other.log')} has no line in the combined format.`),
    );
  });

  it.each([
    ['cut off', (packed: Buffer) => packed.subarray(0, -9), 'unexpected end of file'],
    ['no gzip but for its first bytes', () => Buffer.from([0x1f, 0x8b, 1, 2, 3]), 'unknown compression method'],
  ])('of a packed file that is %s fails with the reason', async (_, damaged, reason) => {
    await writeFile(join(folder, 'damaged.gz'), damaged(gzipSync(LINES.join('\n'))));
    await expect(importing('damaged.gz')).rejects.toThrow(`${join(folder, 'damaged.gz')} is damaged (${reason}): `);
    await expect(importing('damaged.gz')).rejects.toThrow(StartFailure);
  });

  it('takes files, and names a folder as one', async () => {
    const given = (file: string) => runImport(['--website', 'site_1', file], {}, () => undefined);
    await expect(given(folder)).rejects.toThrow(`${folder} is a folder; name the files in it.`);
    await expect(given(join(folder, 'absent'))).rejects.toThrow(`There is no file ${join(folder, 'absent')}.`);
  });

  it('records what the lines hold, and neither address nor user agent', async () => {
    const events = (await allOf(log)) as PageViewed[];
    const find = (path: string) => events.filter(({ data }) => data.path === path);
    expect(find('/')).toHaveLength(2);
    expect(find('/a')).toMatchObject([
      {
        at: Date.parse('2015-05-17T08:00:05Z'),
        data: {
          websiteId: 'site_1',
          zone: 'Europe/Berlin',
          sessionId: null,
          country: 'NL',
          browser: 'Chrome',
          os: 'Linux',
          device: 'desktop',
          utm: { source: 'mail' },
          referrer: { host: 'www.example.com', own: true },
        },
      },
    ]);
    expect(find('/b.html')).toMatchObject([
      { data: { referrer: { host: 'www.google.com', path: '/url', own: false } } },
    ]);
    expect(find('/')[0]?.data.visitorId).toBe(find('/a')[0]?.data.visitorId);
    expect(find('/')[0]?.data.visitorId).not.toBe(find('/b.html')[0]?.data.visitorId);
    expect(JSON.stringify(events)).not.toMatch(/192\.0\.2|Mozilla|secret/);
  });
});

const website: Website = {
  id: 'site_1',
  organizationId: 'org_1',
  name: 'Example',
  domain: 'example.com',
  isPublic: false,
  allowedOrigins: [],
  timezone: 'Europe/Berlin',
  visitorIdentity: 'stable',
  createdAt: new Date(0),
  updatedAt: new Date(0),
  revision: 0,
};
