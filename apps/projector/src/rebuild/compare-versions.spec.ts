import { rollupNamed } from '@ledgerline/contracts/aggregates/website-aggregates';
import { run } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { pageView } from '@test/events/observed-events';
import { compareVersions } from '@test/projector/compare-versions';
import { columnOfRollup } from '@test/projector/kept-sums';
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
    const counted = sql`select count(*)::integer as rows from websites_v3.website_rollups`;
    expect(await run(versions.pool, counted)).toEqual([{ rows: views.length }]);
    expect(await differences()).toEqual([]);
    await run(
      versions.pool,
      sql`delete from websites_v3.website_rollups where ctid = (
        select min(ctid) from websites_v3.website_rollups
        where website = (select id from dictionary where scope = 0 and text = 'site_0')
      )`,
    );
    const found = await differences();
    const [pages] = found.filter(({ table }) => table === columnOfRollup('pages'));
    expect(pages).toMatchObject({ onlyBefore: 1, onlyAfter: 1, rows: [{ key: { day: 20_597 } }] });
    expect(describeDifferences(found)).toMatch(
      /website_rollups\.pages_\w{8}: 1 rows only in the live version, 1 only in the rebuilt one\n +website \d+, day 20597, path \d+: live count 3, visitors \{"0":3\} · rebuilt count 2, visitors \{"0":2\}/,
    );
    await run(
      versions.pool,
      sql`update websites_v3.website_rollups set ${identifier(rollupNamed('pages').name)} = '\\x09'`,
    );
    expect((await differences()).find(({ table }) => table === columnOfRollup('pages'))?.rows).toContainEqual(
      expect.objectContaining({ before: null, after: { pack: 'cannot be read' } }),
    );
  });

  let versions: WebsiteVersions;
  beforeAll(async () => void (versions = await openWebsiteVersions()));
  afterAll(() => versions.close());

  const differences = () => compareVersions(versions.pool, new WebsitesGroup(versions.pool), IN_ONE_GO, IN_PIECES);
});
