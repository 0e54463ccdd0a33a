import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { queryTypeNamed } from '../../apps/api/src/query/types/catalogue';
import { LOG_FORMATS } from '../../apps/tracker/src/import/formats/formats';
import { importFiles } from '../../apps/tracker/src/import/import-files';
import type { ImportReport } from '../../apps/tracker/src/import/import-report';
import { ImportIdentity } from '../../apps/tracker/src/import/page-view-of-line';
import { findSources } from '../../apps/tracker/src/import/sources';
import { HitsPerVisitor } from '../../apps/tracker/src/visitors/visit-periods';
import { asking, type Ask } from '../query/answer-type';
import { openProjectedDatabase, type ProjectedDatabase } from '../query/projected-database';
import { inSessions, naiveViews, tally } from './naive-access-log';

/** A real web server's log of two days, kept beside the repository; `ACCESS_LOG` names another copy. */
const FILE = process.env['ACCESS_LOG'] ?? join(__dirname, '../../../shared/data/access-2015-05-17_18.log.gz');
const present = existsSync(FILE);
if (!present) console.warn('SKIPPED: the real access log is not here; set ACCESS_LOG to its path to run this test.');

const ID = 'site_REAL';
const WEBSITE = {
  id: ID,
  organizationId: 'org_1',
  name: 'Semicomplete',
  domain: 'semicomplete.com',
  isPublic: false,
  allowedOrigins: [],
  timezone: 'UTC',
  visitorIdentity: 'daily' as const,
  retentionDays: null,
  createdAt: new Date('2015-05-17T00:00:00Z'),
  updatedAt: new Date('2015-05-17T00:00:00Z'),
  revision: 0,
};

(present ? describe : describe.skip)('a real access log, imported', () => {
  it('has the page views and visitors that a few lines count', async () => {
    const [row] = await ask(queryTypeNamed('summary_metrics')!);
    expect(row).toMatchObject({
      pageviews: views.length,
      unique_visitors: new Set(views.map(({ who }) => who)).size,
      sessions: new Set(sessions.map(({ first }) => first)).size,
    });
    expect(views.length).toBeGreaterThan(500);
  });

  it('has the same top pages', async () => {
    const rows = await ask(queryTypeNamed('top_pages')!);
    expect(ranking(rows, 'name')).toEqual(tally(views.map(({ path }) => path)));
  });

  it('has the same referrers, by known source', async () => {
    const rows = await ask(queryTypeNamed('top_referrers')!);
    const hosts = sessions.map(({ first }) => first.referrer).filter((host) => host !== '');
    const expected = tally(hosts.map((host) => (/(^|\.)google\./.test(host) ? 'google' : host.replace(/^www\./, ''))));
    const known = new Map(expected);
    const answered = new Map(ranking(rows, 'referrer'));
    expect(answered.get('google.com')).toBe(known.get('google'));
    for (const host of ['s-chassis.co.nz', 'stackoverflow.com', 'logstash.net', 'tuxradar.com']) {
      expect([host, answered.get(host)]).toEqual([host, known.get(host)]);
    }
    expect([...answered.values()].reduce((a, b) => a + b, 0)).toBe(hosts.length);
  });

  it('has the same campaigns', async () => {
    const rows = await ask(queryTypeNamed('utm_campaigns')!);
    const campaigns = sessions.map(({ first }) => first.campaign).filter((campaign) => campaign !== '');
    expect(ranking(rows, 'name')).toEqual(tally(campaigns));
    expect(campaigns.length).toBeGreaterThan(0);
  });

  it('adds nothing when it is imported again', async () => {
    expect(await importOnce()).toMatchObject({ added: 0, known: views.length });
  });
});

let database: ProjectedDatabase;
let ask: Ask;
const views = present ? naiveViews(FILE) : [];
const sessions = inSessions(views);

beforeAll(async () => {
  if (!present) return;
  database = await openProjectedDatabase();
  expect(await importOnce()).toMatchObject({ added: views.length, known: 0 });
  await database.catchUp();
  const range = { startDate: '2015-05-16', endDate: '2015-05-19', timezone: 'UTC', granularity: 'daily' as const };
  const subject = { about: 'website' as const, id: ID, ownZone: 'UTC', filters: [], now: Date.now() };
  ask = await asking(database.pool, { ...range, ...subject });
});
afterAll(() => database.close());

async function importOnce(): Promise<ImportReport> {
  const log = await openIntakeLog({ databaseUrl: database.url });
  try {
    const [source] = await findSources([FILE], process.stdin, () => undefined);
    return await importFiles([source!], {
      isOwnHost: () => true,
      formats: LOG_FORMATS,
      website: WEBSITE,
      identity: new ImportIdentity(ID, Buffer.alloc(32, 7)),
      geo: { locate: () => ({ country: null, region: null, city: null }) },
      hitsPerVisitor: new HitsPerVisitor(10_000, () => undefined),
      log,
      now: Date.now,
      onBytes: () => undefined,
      signal: new AbortController().signal,
      say: () => undefined,
    });
  } finally {
    await log.close();
  }
}

/** By page views alone, as `tally` orders: the answer's own order also looks at visitors. */
const ranking = (rows: readonly Record<string, unknown>[], name: string): [string, number][] =>
  rows
    .map((row): [string, number] => [row[name] as string, row['pageviews'] as number])
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
