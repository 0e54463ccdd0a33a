import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { PageViewed } from '@ledgerline/contracts/events/observed-events';
import type { Website } from '@ledgerline/contracts/records';
import { withClick } from '@ledgerline/domain/links/click-id';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { allOf } from '@test/tracker/all-of';
import { WEBSITE } from '@test/tracker/intake-context-of';
import { isWithin } from '../parse';
import { HitsPerVisitor } from '../visitors/visit-periods';
import { LOG_FORMATS } from './formats/formats';
import { importFiles, type ImportDeps } from './import-files';
import { emptyReport, whyFewer, whyNothing, reportTable } from './import-report';
import { ImportIdentity } from './page-view-of-line';
import type { ImportSource } from './sources';

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

  const depsOf = (other: Partial<ImportDeps> = {}): ImportDeps => ({
    website,
    identity: new ImportIdentity(website.id, Buffer.alloc(32, 7)),
    geo: { locate: () => ({ country: 'NL', region: null, city: null }) },
    hitsPerVisitor: new HitsPerVisitor(10_000, () => undefined),
    log,
    now: Date.now,
    onBytes: () => undefined,
    signal: new AbortController().signal,
    say: () => undefined,
    isOwnHost: (host) => isWithin(host, website.domain),
    formats: LOG_FORMATS,
    ...other,
  });
  const sourceOf = (file: string): ImportSource => {
    const name = join(folder, file);
    return { name, bytes: undefined, open: () => createReadStream(name) };
  };
  const importing = (files: string | string[], other: Partial<ImportDeps> = {}) =>
    importFiles([files].flat().map(sourceOf), depsOf(other));
  const writing = async (file: string, lines: readonly string[]) => writeFile(join(folder, file), lines.join('\n'));

  it('makes page views and counts the rest by reason', async () => {
    const report = await importing('access.log');
    expect(report).toEqual({
      ...emptyReport(LOG_FORMATS),
      lines: 11,
      added: 4,
      skipped: { ...NONE, unparseable: 1, method: 1, status: 1, file: 1, feed: 1, no_user_agent: 1, bot: 1 },
      files: new Map([['png', { count: 1, example: '/logo.png' }]]),
      unparseable: [`${join(folder, 'access.log')}:11`],
    });
    const tried = 'tried: combined, caddy-json, traefik-json, nginx-json, w3c';
    expect(reportTable(report, 2)).toContain(`Lines in no known format (${tried}):\n  ${folder}/access.log:11`);
    expect(reportTable(report, 2)).toMatch(/\.png, as \/logo\.png +│ +1 /);
  });

  it('adds nothing when the file comes again, packed or not', async () => {
    expect(await importing('access.log')).toMatchObject({ added: 0, known: 4 });
    expect(await importing('access.log.gz')).toMatchObject({ added: 0, known: 4 });
    expect(await allOf(log)).toHaveLength(4);
  });

  it('takes the click on a short link out of an address, and records it with the view', async () => {
    const click = { id: '01K9ZZZZZZZZZZZZZZZZZZZZZZ', linkId: 'link_1' };
    await writing('clicked.log', [line({ request: `GET ${withClick('/clicked?a=1', click)} HTTP/1.1` })]);
    expect(await importing('clicked.log')).toMatchObject({ added: 1 });
    const clicked = (await allOf(log)).filter((event) => event.type === 'PageViewed' && event.data.path === '/clicked');
    expect(clicked).toMatchObject([{ data: { query: 'a=1', click } }]);
  });

  it('keeps what one visitor has beyond the daily limit, without visitor', async () => {
    await writing(
      'busy.log',
      [1, 2, 3, 4].map((n) => line({ request: `GET /busy/${n} HTTP/1.1` })),
    );
    const report = await importing('busy.log', { hitsPerVisitor: new HitsPerVisitor(2, () => undefined) });
    expect(report).toMatchObject({ added: 4, withoutVisitor: 2 });
    expect(reportTable(report, 1)).toContain('without visitor');
    const views = ((await allOf(log)) as PageViewed[]).filter(({ data }) => data.path.startsWith('/busy/'));
    expect(views.map(({ data }) => data.visitorId === null)).toEqual([false, false, true, true]);
  });

  it('goes on where it was killed, says so and counts nothing twice', async () => {
    const total = 5_000;
    await writing(
      'long.log',
      Array.from({ length: total }, (_, n) =>
        line({ request: `GET /long/${n % 100} HTTP/1.1`, ip: `198.51.100.${n % 250}` }),
      ),
    );
    let batches = 0;
    const dying: IntakeLog['send'] = async (hits) => {
      const sent = await log.send(hits);
      if (++batches === 2) throw new Error('killed before it knew that the batch is stored');
      return sent;
    };
    await expect(importing('long.log', { log: { send: dying } })).rejects.toThrow('killed');
    const said: string[] = [];
    const again = await importing('long.log', { say: (text) => said.push(text) });
    expect(again.known).toBeGreaterThanOrEqual(4_000);
    expect(again.added + again.known).toBe(total);
    expect(said).toEqual([
      `${join(folder, 'long.log')}: ${again.known.toLocaleString('en-US')} page views were imported before; going on at line ${(again.known + 1).toLocaleString('en-US')}.`,
    ]);
    expect((await allOf(log)).filter((event) => (event as PageViewed).data.path.startsWith('/long/'))).toHaveLength(
      total,
    );
  });

  it('of files that share a second gives equal rows in either order, and equal counts where they share lines', async () => {
    const files = { a: ['/1', '/2'], b: ['/3', '/4'], c: ['/2', '/5'] };
    for (const [name, paths] of Object.entries(files))
      await writing(
        `${name}.log`,
        paths.map((path) => line({ request: `GET ${path} HTTP/1.1` })),
      );
    const importedInto = async (id: string, names: readonly string[]) => {
      const to = { website: { ...website, id }, identity: new ImportIdentity(id, Buffer.alloc(32, 7)) };
      await importing(
        names.map((name) => `${name}.log`),
        to,
      );
      const views = ((await allOf(log)) as PageViewed[]).filter(({ data }) => data.websiteId === id);
      return views.map(({ at, data: { path } }) => `${path} ${at % 1_000}`).sort();
    };
    for (const names of [
      ['a', 'b'],
      ['b', 'a'],
    ])
      expect(await importedInto(`site_${names.join('')}`, names)).toEqual(['/1 0', '/2 1', '/3 0', '/4 1']);
    expect(await importedInto('site_ac', ['a', 'c'])).toEqual(['/1 0', '/2 1', '/5 1']);
    expect(await importedInto('site_ca', ['c', 'a'])).toEqual(['/1 0', '/2 0', '/5 1']);
  });

  it('ends with what it has read when it is interrupted', async () => {
    await writing('first.log', [line({ request: 'GET /first HTTP/1.1' })]);
    const stopping = new AbortController();
    const onBytes = () => stopping.abort();
    const report = await importing(['first.log', 'access.log'], { onBytes, signal: stopping.signal });
    expect(report.lines).toBeLessThanOrEqual(1);
    expect(await importing('first.log')).toMatchObject({ lines: 1 });
  });

  it('counts lines without user agent apart, and says why', async () => {
    const common = ['/a', '/b'].map(
      (path) => `192.0.2.1 - - [17/May/2015:10:00:00 +0200] "GET ${path} HTTP/1.1" 200 5`,
    );
    await writing('common.log', common);
    const report = await importing('common.log');
    expect(report).toMatchObject({ lines: 2, added: 0, known: 0, skipped: { agents_not_logged: 2, unparseable: 0 } });
    expect(whyNothing(report)).toMatch(/^Nothing was imported: the log has no user agents/);
    await writing('mixed.log', [...common, ...LINES]);
    const mixed = await importing('mixed.log');
    expect(whyNothing(mixed)).toBeUndefined();
    expect(whyFewer(mixed)).toEqual([expect.stringMatching(/^2 lines were not counted: the log has no user agents/)]);
  });

  it('of what is no access log says so', async () => {
    await writing('other.log', ['no line of an access log', 'neither is this']);
    expect(whyNothing(await importing('other.log'))).toMatch(/^Nothing was imported: no line is a request/);
  });

  it.each([
    ['is empty', ''],
    ['has empty lines only', '\n\n'],
    ['was just rotated', 'Nov 22 00:00:00 web newsyslog[99]: logfile turned over due to size>1000K\n'],
  ])('warns of a file that %s', async (_, text) => {
    await writeFile(join(folder, 'empty.log'), text);
    const report = await importing(['empty.log', 'access.log']);
    expect(report).toMatchObject({ lines: 11, failures: [], warnings: [`${join(folder, 'empty.log')} has no lines.`] });
    expect(whyNothing(await importing('empty.log'))).toBeUndefined();
  });

  it('warns of a file that was rotated away meanwhile', async () =>
    expect(await importing(['gone.log', 'access.log'])).toMatchObject({
      lines: 11,
      failures: [],
      warnings: [`${join(folder, 'gone.log')} is not there any more.`],
    }));

  it.each([
    ['cut off', (packed: Buffer) => packed.subarray(0, -9), 'unexpected end of file'],
    ['no gzip but for its first bytes', () => Buffer.from([0x1f, 0x8b, 1, 2, 3]), 'unknown compression method'],
  ])('of a packed file that is %s goes on with the others, and fails with the reason', async (_, damaged, reason) => {
    await writeFile(join(folder, 'damaged.gz'), damaged(gzipSync(LINES.join('\n'))));
    const { failures, known } = await importing(['damaged.gz', 'access.log']);
    expect(failures).toEqual([expect.stringContaining(`${join(folder, 'damaged.gz')} is damaged (${reason}): `)]);
    expect(known).toBeGreaterThanOrEqual(4);
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

const NONE = emptyReport(LOG_FORMATS).skipped;

const website: Website = { ...WEBSITE, visitorIdentity: 'stable' };
