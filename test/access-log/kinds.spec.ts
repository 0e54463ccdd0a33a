import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { PageViewed } from '@ledgerline/contracts/events/observed-events';
import type { IntakeItem } from '@ledgerline/platform/intake-log/intake-log';
import { LOG_FORMATS } from '../../apps/tracker/src/import/formats/formats';
import { importFiles } from '../../apps/tracker/src/import/import-files';
import { emptyReport } from '../../apps/tracker/src/import/import-report';
import { ImportIdentity } from '../../apps/tracker/src/import/page-view-of-line';
import { HitsPerVisitor } from '../../apps/tracker/src/visitors/visit-periods';
import { WEBSITE } from '../tracker/intake-context-of';

/** The kinds of files, each with the same ten requests, and one line that is in no format. */
const BARE = ['combined', 'caddy', 'nginx', 'traefik', 'iis', 'cloudfront'];
/** Files of lines of another with a prefix. */
const PREFIXED: readonly [kind: string, bare: string][] = [
  ['docker-timestamps', 'combined'],
  ['docker-compose', 'caddy'],
  ['docker-json-file', 'combined'],
  ['kubernetes', 'nginx'],
  ['journalctl', 'caddy'],
  ['journalctl-json', 'combined'],
];
/** The lines of the files beside requests, such as lines of an error log. */
const MESSAGES: Readonly<Record<string, number>> = {
  iis: 0,
  cloudfront: 0,
  caddy: 2,
  'docker-compose': 2,
  journalctl: 2,
};
/** `kubernetes` has one in three parts and one of another stream between them. */
const MORE_MESSAGES: Readonly<Record<string, number>> = { kubernetes: 1 };

const VIEWS = [
  ['10:00:00', '/', null, null, 'www.google.com', 'first'],
  ['10:00:05', '/products', 'utm_source=news&page=2', 'news', 'shop.example', 'first'],
  ['10:01:00', '/caf%C3%A9/menu%20du%20jour', null, null, null, 'second'],
  ['10:04:00', '/about', null, null, 'shop.example', 'third'],
];

describe.each([...BARE, ...PREFIXED.map(([kind]) => kind)])('an access log of the kind %s', (kind) => {
  it('has the page views that were requested, and every other line by its reason', async () => {
    const { report, views } = await importing([kind]);
    const message = (MESSAGES[kind] ?? 1) + (MORE_MESSAGES[kind] ?? 0);
    expect(views).toEqual(VIEWS);
    expect(report).toMatchObject({
      lines: 11 + message,
      added: 4,
      skipped: { message, unparseable: 1, file: 1, method: 1, status: 1, bot: 1, host: 1, no_user_agent: 1 },
      unparseable: [`${kind}:${lastLine(kind)}`],
      warnings: [],
      failures: [],
    });
  });

  it('adds nothing when it is imported again', async () =>
    expect((await importing([kind, kind])).report).toMatchObject({ added: 4, known: 4 }));
});

describe('lines with a prefix', () => {
  it.each(PREFIXED)('of the kind %s are those of %s', async (kind, bare) =>
    expect((await importing([bare, kind])).report).toMatchObject({ added: 4, known: 4 }),
  );
});

describe('a file of several kinds', () => {
  it('has the page views of all', async () => {
    const text = BARE.map(textOf).join('');
    expect((await importingText([['mixed', text]])).report).toMatchObject({ added: 4 * BARE.length, known: 0 });
  });

  it('names a line whose last part is missing', async () => {
    const part = '2026-03-01T10:00:00.000000000Z stdout P {"remote_addr":"192.0.2.1"';
    expect((await importingText([['parts', `${textOf('kubernetes')}${part}`]])).report).toMatchObject({
      added: 4,
      unparseable: [`parts:${lastLine('kubernetes')}`, `parts:${lastLine('kubernetes') + 1}`],
    });
  });

  it('is cut anywhere without more than one line being lost', async () => {
    const text = BARE.map(textOf).join('');
    for (let end = 0; end < text.length; end += 1_009) {
      const whole = text.slice(0, text.lastIndexOf('\n', end - 1) + 1);
      const cut = await importingText([['cut', text.slice(0, end)]]);
      const before = await importingText([['cut', whole]]);
      expect(cut.report.failures).toEqual([]);
      expect(cut.report.lines - before.report.lines).toBeLessThanOrEqual(1);
      expect(cut.report.added - before.report.added).toBeLessThanOrEqual(1);
    }
  });
});

describe('--format', () => {
  it.each(LOG_FORMATS.map((format) => [format.name, format] as const))('%s reads no other', async (name, format) => {
    const { report } = await importingText(
      BARE.map((kind) => [kind, textOf(kind)] as const),
      [format],
    );
    expect(report.added).toBe(name === 'w3c' ? 8 : 4);
    expect(report.formats).toEqual([name]);
  });
});

const textOf = (kind: string): string => readFileSync(join(__dirname, 'kinds', `${kind}.log`), 'utf8');
const lastLine = (kind: string): number => textOf(kind).split('\n').length - 1;

const importing = (kinds: readonly string[]) => importingText(kinds.map((kind) => [kind, textOf(kind)] as const));

async function importingText(files: readonly (readonly [name: string, text: string])[], formats = LOG_FORMATS) {
  const events = new Map<string, PageViewed>();
  const report = emptyReport(formats);
  const sources = files.map(([name, text]) => ({
    name,
    bytes: undefined,
    open: () => Readable.from([Buffer.from(text)], { objectMode: false }),
  }));
  await importFiles(
    sources,
    {
      website: { ...WEBSITE, domain: 'shop.example' },
      identity: new ImportIdentity(WEBSITE.id, Buffer.alloc(32, 7)),
      geo: { locate: () => ({ country: null, region: null, city: null }) },
      hitsPerVisitor: new HitsPerVisitor(10_000, () => undefined),
      isOwnHost: (host) => host === 'shop.example',
      formats,
      log: { send: (hits) => Promise.resolve(sent(events, hits)) },
      now: () => Date.UTC(2026, 5, 1),
      onBytes: () => undefined,
      signal: new AbortController().signal,
      say: () => undefined,
    },
    report,
  );
  return { report, views: viewsOf([...events.values()]) };
}

function sent(events: Map<string, PageViewed>, hits: readonly IntakeItem[]) {
  const outcomes = hits.map(({ event }) => {
    if (events.has(event.id)) return 'duplicate' as const;
    events.set(event.id, event as PageViewed);
    return 'stored' as const;
  });
  return { outcomes, positions: new Map<number, string>() };
}

/** Time, path, query, campaign, referrer and visitor, who is named by order. */
function viewsOf(events: readonly PageViewed[]) {
  const visitors = [...new Set(events.map(({ data }) => data.visitorId))];
  return events.map(({ at, data }) => [
    new Date(at).toISOString().slice(11, 19),
    data.path,
    data.query,
    data.utm?.source ?? null,
    data.referrer?.host ?? null,
    ['first', 'second', 'third'][visitors.indexOf(data.visitorId)],
  ]);
}
