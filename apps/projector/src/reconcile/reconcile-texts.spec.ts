import { schemaOf } from '@ledgerline/contracts/read-models/registry';
import { run } from '@ledgerline/platform/database/pool';
import { sql, textHash } from '@ledgerline/platform/database/sql';
import { pageView } from '@test/events/observed-events';
import { compareWebsites, liveWebsites } from '@test/projector/compare-websites';
import { MemoryLog } from '@test/projector/memory-log';
import { visitsOf } from '@test/projector/visits';
import { IN_ONE_GO, IN_PIECES, openWebsiteVersions, type WebsiteVersions } from '@test/projector/website-versions';
import { someOf } from '@test/random-runs';
import { waitUntil } from '@test/wait-until';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { bind } from '../runner/bound-group';
import { sealDays } from '../sealing/seal-days';
import type { Finding } from './findings';
import { repairSubject } from './repair';

const LIVE = schemaOf('websites', IN_PIECES);
const LINK = 'https://example.com/a';
const OTHER_HASH = `hash = 'c0ffee00-0000-0000-0000-000000000000'`;
/** Two texts of a website get each the id of the other one. */
const swap = (a: string, b: string) => `
  update dictionary set hash = gen_random_uuid(), text = case text when '${a}' then '${b}' else '${a}' end
    where text in ('${a}', '${b}');
  update dictionary set hash = encode(substring(sha256(text::bytea) for 16), 'hex')::uuid where text in ('${a}', '${b}')`;

describe('comparing the texts of websites with the log', () => {
  it.each([
    ['changed', `update dictionary set text = '/hacked' where text = '/docs'`],
    ['deleted', `delete from dictionary where text = '/docs'`],
    ['changed, and its hash to another one', `update dictionary set text = 'x', ${OTHER_HASH} where text = '/docs'`],
    ['changed in its hash alone', `update dictionary set ${OTHER_HASH} where text = '/docs'`],
    [
      'changed, of a link that was clicked',
      `update dictionary set text = 'https://evil.example/' where text = '${LINK}'`,
    ],
    ['deleted, of a link that was clicked', `delete from dictionary where text = '${LINK}'`],
    ['changed, of the website itself', `update dictionary set text = 'site_other' where text = $1`],
    ['given to another website', `update dictionary set scope = scope + 1000 where text = '/docs'`],
    ['changed, of a fact alone', `update dictionary set text = 'good.js' where text = 'bad.js'`],
    ['deleted, of a fact alone', `delete from dictionary where text = 'bad.js'`],
  ])('names a text that was %s, until it is repaired, and counts on with its id', async (what, fault) => {
    const websiteId = `site_${++sites}`;
    await run(versions.pool, sql`delete from dictionary`);
    const log = new MemoryLog(visit(websiteId, 'a'.repeat(32)));
    const project = await startProjecting(log);
    await project();
    expect(await check(log, true)).toEqual([]);
    await run(versions.pool, { text: fault, values: fault.includes('$1') ? [websiteId] : [] });
    const findings = await check(log, false);
    const isChanged = what.startsWith('changed');
    const counts = { missing: isChanged ? 0 : 1, changed: isChanged ? 1 : 0 };
    expect(findings).toContainEqual(expect.objectContaining({ subject: websiteId, table: 'dictionary', ...counts }));
    expect(findings.every(({ subject }) => subject === websiteId)).toBe(true);
    const days = findings.map(({ day }) => day);
    const other = bind(new WebsitesGroup(versions.pool), log, versions.pool); // the command is a process of its own
    expect(
      await repairSubject(other, await liveWebsites(versions.pool, log), { subject: websiteId, days }),
    ).not.toEqual([]);
    expect(await check(log, false)).toEqual([]);
    log.add(...visit(websiteId, 'b'.repeat(32)));
    await project();
    expect(await check(log, false)).toEqual([]);
    for (const version of [IN_ONE_GO, IN_PIECES]) await empty(version);
    await versions.project(IN_ONE_GO, log);
    await versions.project(IN_PIECES, log);
    expect(await versions.differences()).toEqual([]);
  });

  it.each([
    [
      'changed together with its hash',
      `update dictionary set text = '/hacked', hash = '${textHash('/hacked')}' where text = '/docs'`,
    ],
    ['swapped with another one', swap('no', '/docs')],
  ])('names the tables with a text that was %s, until it is repaired', async (_, fault) => {
    const websiteId = `site_${++sites}`;
    const log = new MemoryLog(visit(websiteId, 'a'.repeat(32)));
    await versions.project(IN_PIECES, log);
    await versions.project(IN_ONE_GO, log);
    expect(await check(log, true)).toEqual([]);
    await run(versions.pool, { text: fault, values: [] });
    const findings = await check(log, false);
    await run(versions.pool, sql`update reconciled_days set proven_at = proven_at - interval '5 hours'`);
    expect(await check(log, true)).toEqual(findings); // no row shows it, so once the days are due again
    const [{ day } = { day: 0 }] = findings;
    expect(findings).toContainEqual(expect.objectContaining({ subject: websiteId, table: 'sessions', changed: 1 }));
    const other = bind(new WebsitesGroup(versions.pool), log, versions.pool); // its cache knows nothing yet
    const repaired = await repairSubject(other, await liveWebsites(versions.pool, log), {
      subject: websiteId,
      days: [day],
    });
    expect(repaired.map(({ table }) => table)).toContain('sessions');
    expect(await check(log, true)).toEqual([]);
  });

  it.each(['open', 'packed'])(
    'finds and repairs each text that was changed together with its hash, on days that are %s',
    async (days) => {
      const websiteId = `site_${++sites}`;
      const log = new MemoryLog(visitsOf(websiteId));
      const project = await startProjecting(log);
      const seal = async () => {
        if (days === 'packed') await sealDays({ pool: versions.pool, schema: LIVE, quietMs: 0 });
      };
      await project();
      await seal();
      const texts = await run<{ text: string }>(versions.pool, sql`select text from dictionary`);
      const unseen: string[] = [];
      for (const { text } of someOf(texts, 4)) {
        const other = `${text}, changed`;
        const hash = textHash(`${text}, changed`);
        await run(versions.pool, sql`update dictionary set text = ${other}, hash = ${hash}::uuid where text = ${text}`);
        const findings = await check(log, false);
        if (findings.length === 0) unseen.push(text);
        await repairAll(log, findings);
        await seal();
      }
      expect(unseen).toEqual([]);
      expect(await check(log, false)).toEqual([]);
      expect(texts).toHaveLength(63);
      log.add(...visitsOf(websiteId));
      await project(); // with the ids that it had before
      expect(await check(log, false)).toEqual([]);
    },
    300_000,
  );

  it('finds and repairs the values of an attribute that were swapped', async () => {
    const websiteId = `site_${++sites}`;
    const viewFrom = (country: string, visitorId: string) =>
      pageView(Date.parse('2026-05-24T12:00:00Z'), { websiteId, visitorId, country });
    const log = new MemoryLog([viewFrom('DE', 'a'.repeat(32)), viewFrom('FR', 'b'.repeat(32))]);
    await versions.project(IN_PIECES, log);
    expect(await check(log, false)).toEqual([]);
    await run(versions.pool, { text: swap('DE', 'FR'), values: [] });
    const findings = await check(log, false);
    expect(findings).toEqual([expect.objectContaining({ subject: websiteId, table: 'sessions', changed: 2 })]);
    await repairAll(log, findings);
    expect(await check(log, false)).toEqual([]);
  });

  it('repairs a website whose id got another hash, and leaves nothing of its former number', async () => {
    const websiteId = `site_${++sites}`;
    const log = new MemoryLog(visit(websiteId, 'a'.repeat(32)));
    await versions.project(IN_PIECES, log);
    await run(versions.pool, { text: `update dictionary set ${OTHER_HASH} where text = $1`, values: [websiteId] });
    const [finding] = await check(log, false);
    expect(finding).toMatchObject({ subject: websiteId });
    const other = bind(new WebsitesGroup(versions.pool), log, versions.pool);
    await repairSubject(other, await liveWebsites(versions.pool, log), { subject: websiteId, days: [finding!.day] });
    expect(await check(log, false)).toEqual([]);
    expect(await run(versions.pool, sql`select text from dictionary where scope = 0`)).toEqual([{ text: websiteId }]);
    for (const { name } of other.builds) {
      const stray = `select from ${LIVE}.${name} where website not in (select id from dictionary)`;
      expect(await run(versions.pool, { text: stray, values: [] })).toEqual([]);
    }
  });

  const visit = (websiteId: string, visitorId: string) => {
    const at = Date.parse('2026-05-24T12:00:00Z');
    const of = { websiteId, visitorId };
    const view = pageView(at, { ...of, path: '/docs' });
    const { data } = view;
    return [
      view,
      {
        ...pageView(at + 1_000, of),
        type: 'OutgoingLinkClicked' as const,
        data: { ...data, href: LINK, linkKind: 'link' as const, own: false, text: 'Example' },
      },
      {
        ...pageView(at + 2_000, of),
        type: 'ErrorRecorded' as const,
        data: { ...data, message: 'no', errorType: 'TypeError', filename: 'bad.js', line: 1, column: 1, stack: null },
      },
    ];
  };

  let versions: WebsiteVersions;
  let sites = 0;
  beforeAll(async () => void (versions = await openWebsiteVersions()));
  afterAll(() => versions.close());
  beforeEach(async () => {
    for (const version of [IN_ONE_GO, IN_PIECES]) await empty(version);
    await run(versions.pool, sql`truncate dictionary, reconciled_days, reconciliations`);
  });

  const empty = (version: number) => {
    const tables = new WebsitesGroup(versions.pool).builds.map(
      ({ name }) => `${schemaOf('websites', version)}.${name}`,
    );
    return run(versions.pool, { text: `truncate ${tables.join(', ')}`, values: [] });
  };

  /** Answers what projects the log on, by one process. */
  async function startProjecting(log: MemoryLog): Promise<() => Promise<unknown>> {
    const live = bind(new WebsitesGroup(versions.pool), log, versions.pool).runner({
      partition: 0,
      batch: 3,
      version: IN_PIECES,
    });
    await run(versions.pool, sql`update projection_checkpoints set cursor = '' where version = ${IN_PIECES}`);
    return () =>
      waitUntil(
        () => live.step(),
        (step) => step === 'idle',
      );
  }

  /** By a process of its own. */
  async function repairAll(log: MemoryLog, findings: readonly Finding[]): Promise<void> {
    const group = bind(new WebsitesGroup(versions.pool), log, versions.pool);
    const days = findings.map(({ day }) => day);
    for (const subject of new Set(findings.map((finding) => finding.subject)))
      await repairSubject(group, await liveWebsites(versions.pool, log), { subject, days });
  }

  const check = (log: MemoryLog, goesOn: boolean) => compareWebsites(versions.pool, log, goesOn);
});
