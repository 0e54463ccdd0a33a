import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { textHash } from '@ledgerline/platform/database/text';
import { readLayout } from '@ledgerline/platform/table-versions/group-layout';
import { pageView } from '@test/events/observed-events';
import { MemoryLog } from '@test/projector/memory-log';
import { IN_ONE_GO, IN_PIECES, openWebsiteVersions, type WebsiteVersions } from '@test/projector/website-versions';
import { waitUntil } from '@test/wait-until';
import { HIT_TYPES } from '../projections/websites/read-hit';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { tablesIn } from '../projections/written-tables';
import { bind } from '../runner/bound-group';
import { DayComparison } from './day-comparison';
import type { Finding } from './findings';
import type { LivePartition } from './live-partition';
import { ProvenDays } from './proven-days';
import { noteUncompared } from './reconciliations';
import { repairSubject } from './repair';
import { WEBSITES } from './websites';

const LINK = 'https://example.com/a';
/** Two texts of a website get each the id of the other one. */
const SWAP = `
  update dictionary set hash = gen_random_uuid(), text = case text when 'no' then '/docs' else 'no' end
    where text in ('no', '/docs');
  update dictionary set hash = encode(substring(sha256(text::bytea) for 16), 'hex')::uuid where text in ('no', '/docs')`;

describe('comparing the texts of websites with the log', () => {
  it.each([
    ['changed', `update dictionary set text = '/hacked' where text = '/docs'`],
    ['deleted', `delete from dictionary where text = '/docs'`],
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
    const group = bind(new WebsitesGroup(versions.pool), log, versions.pool);
    const live = group.runner({ partition: 0, batch: 3, version: IN_PIECES });
    const project = () =>
      waitUntil(
        () => live.step(),
        (step) => step === 'idle',
      );
    await run(versions.pool, sql`update projection_checkpoints set cursor = '' where version = ${IN_PIECES}`);
    await project();
    expect(await check(log, true)).toEqual([]);
    await run(versions.pool, { text: fault, values: fault.includes('$1') ? [websiteId] : [] });
    const findings = await check(log, false);
    const isChanged = what.startsWith('changed');
    const counts = { missing: isChanged ? 0 : 1, changed: isChanged ? 1 : 0 };
    expect(findings).toContainEqual(expect.objectContaining({ subject: websiteId, table: 'dictionary', ...counts }));
    if (isChanged) expect(await check(log, true)).toHaveLength(1); // also where all days are proven
    const days = findings.map(({ day }) => day);
    const other = bind(new WebsitesGroup(versions.pool), log, versions.pool); // the command is a process of its own
    expect(await repairSubject(other, await liveOf(log), WEBSITES, { subject: websiteId, days })).not.toEqual([]);
    expect(await check(log, false)).toEqual([]);
    log.add(...visit(websiteId, 'b'.repeat(32)));
    await project();
    expect(await check(log, false)).toEqual([]);
    for (const version of [IN_ONE_GO, IN_PIECES]) await empty(version);
    await versions.project(IN_ONE_GO, log);
    await versions.project(IN_PIECES, log);
    expect(await versions.differences()).toEqual([]);
  });

  it('names texts that were changed together with their hashes, or swapped, by the log', async () => {
    const websiteId = `site_${++sites}`;
    const log = new MemoryLog(visit(websiteId, 'a'.repeat(32)));
    await versions.project(IN_PIECES, log);
    expect(await check(log, true)).toEqual([]);
    const hacked = `text = '/hacked', hash = '${textHash('/hacked')}'`;
    for (const [change, undo] of [
      [
        `update dictionary set ${hacked} where text = '/docs'`,
        `update dictionary set text = '/docs', hash = '${textHash('/docs')}' where text = '/hacked'`,
      ],
      [SWAP, SWAP],
    ] as const) {
      await run(versions.pool, { text: change, values: [] });
      const findings = await check(log, false);
      expect(findings).toMatchObject([{ subject: websiteId, table: 'dictionary', changed: 1 }]);
      await run(versions.pool, sql`update reconciled_days set proven_at = proven_at - interval '5 hours'`);
      expect(await check(log, true)).toMatchObject(findings); // also where all days are proven, once they are due again
      await run(versions.pool, { text: undo, values: [] });
      expect(await check(log, true)).toEqual([]);
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
        data: { ...data, href: LINK, linkKind: 'link' as const, text: 'Example' },
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

  const liveOf = async (log: MemoryLog): Promise<LivePartition> => ({
    pool: versions.pool,
    part: { log, partition: 0, types: HIT_TYPES, isLeftOut: () => false },
    tables: tablesIn(schemaOf('websites', IN_PIECES)),
    layout: (await readLayout(versions.pool, 'websites'))?.id ?? '',
    key: { group: 'websites', version: IN_PIECES, partition: 0 },
    isCurrent: () => Promise.resolve(true),
  });

  async function check(log: MemoryLog, onlyChanged: boolean): Promise<readonly Finding[]> {
    const findings: Finding[] = [];
    const live = await liveOf(log);
    const of = { group: 'websites', partition: 0 };
    await noteUncompared(versions.pool, of);
    const proven = onlyChanged ? await ProvenDays.open(versions.pool, of, live.layout, 'memory') : undefined;
    const report = (finding: Finding) => Promise.resolve(void findings.push(finding));
    await new DayComparison({ live, tables: WEBSITES, proven, report, rest: () => Promise.resolve() }).run();
    return findings;
  }
});
