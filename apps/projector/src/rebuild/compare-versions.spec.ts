import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { pageView } from '@test/events/observed-events';
import { compareVersions } from '@test/projector/compare-versions';
import { MemoryLog } from '@test/projector/memory-log';
import { IN_ONE_GO, IN_PIECES, openWebsiteVersions, type WebsiteVersions } from '@test/projector/website-versions';
import { WebsitesGroup } from '../projections/websites/websites-group';
import { describeDifferences } from './compare-versions';

const NOON = Date.parse('2026-05-24T12:00:00Z');

describe('comparing what two versions keep of websites', () => {
  it('finds the same in other rows, and names count, day and key where one adds up to something else', async () => {
    const views = ['a', 'b', 'c', 'd', 'e'].map((letter, nth) => {
      return pageView(NOON + nth * 1_000, { websiteId: `site_${nth % 2}`, visitorId: letter.repeat(32), path: '/a' });
    });
    await versions.project(IN_ONE_GO, new MemoryLog(views));
    for (const view of views) await versions.project(IN_PIECES, new MemoryLog([view]));
    const counted = sql`select count(*)::integer as rows from websites_v3.kept_counts`;
    expect(await run(versions.pool, counted)).toEqual([{ rows: views.length }]);
    expect(await differences()).toEqual([]);
    await run(
      versions.pool,
      sql`delete from websites_v3.kept_counts where ctid = (
        select min(ctid) from websites_v3.kept_counts
        where website = (select id from dictionary where scope = 0 and text = 'site_0')
      )`,
    );
    const found = await differences();
    const [pages] = found.filter(({ table }) => table === 'kept_counts.pages');
    expect(pages).toMatchObject({ onlyBefore: 1, onlyAfter: 1, rows: [{ key: { day: 20_597 } }] });
    expect(describeDifferences(found)).toMatch(
      /kept_counts\.pages: 1 rows only in the live version, 1 only in the rebuilt one\n +website \d+, day 20597, value \d+: live pageviews 3, visitors \{"0":3\} · rebuilt pageviews 2, visitors \{"0":2\}/,
    );
    await run(versions.pool, sql`update websites_v3.kept_counts set pages = '\\x09'`);
    expect((await differences()).find(({ table }) => table === 'kept_counts.pages')?.rows).toContainEqual(
      expect.objectContaining({ before: null, after: { pack: 'cannot be read' } }),
    );
  });

  let versions: WebsiteVersions;
  beforeAll(async () => void (versions = await openWebsiteVersions()));
  afterAll(() => versions.close());

  const differences = () => compareVersions(versions.pool, new WebsitesGroup(versions.pool), IN_ONE_GO, IN_PIECES);
});
