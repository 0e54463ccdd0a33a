import fc from 'fast-check';
import type { Pool } from 'pg';
import { linkCounts, RECORD_TABLES } from '@ledgerline/contracts/read-models/registry';
import { linkWords } from '@ledgerline/domain/links/link-words';
import { plainLink } from '@ledgerline/domain/links/link.decider';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { upsert } from '@ledgerline/platform/database/read-model-upsert';
import { jsonText } from '@ledgerline/platform/database/sql';
import { createReadModels } from '@test/postgres/read-model-tables';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { LINK_SORTS, type LinkSort, type ListLinksDto } from './list-links.dto';
import { readLinkPage } from './list-links.query';

describe('a page of links', () => {
  it('is what plain loops over all links find, whether the filters leave few links or many', async () => {
    const property = fc.asyncProperty(request, async ({ maxCounted, pages, ...wanted }) => {
      const expected = expectedOf(wanted);
      const { externalId, tagId, search } = wanted;
      const isFiltered = [externalId, tagId, search].some((filter) => filter !== undefined);
      const isExact = !isFiltered || expected.length <= maxCounted;
      const total = { total: isExact ? expected.length : maxCounted, totalIsExact: isExact };
      for await (const page of pagesOf(wanted, expected, { maxCounted, pages })) expect(page).toMatchObject(total);
    });
    await fc.assert(property, { seed: 97, numRuns: 80 });
  }, 60_000);

  describe('of a table with statistics', () => {
    beforeAll(() => pool.query('analyze registry_v1.links'));

    it('has the same links, and a total that is exact or said not to be', async () => {
      const property = fc.asyncProperty(request, async ({ maxCounted, pages, ...wanted }) => {
        const expected = expectedOf(wanted);
        for await (const { total, totalIsExact } of pagesOf(wanted, expected, { maxCounted, pages }))
          expect(total).toBe(totalIsExact ? expected.length : maxCounted);
      });
      await fc.assert(property, { seed: 98, numRuns: 80 });
    }, 60_000);

    const find = async (search: string, limit: number, maxCounted: number) => {
      const query = jest.spyOn(pool, 'query');
      const wanted = {
        organizationId: 'org_1',
        externalId: undefined,
        tagId: undefined,
        search,
        sort: 'name' as const,
        limit,
      };
      const page = await read({ ...wanted, page: 1 }, maxCounted);
      const texts = query.mock.calls.map(([text]) => text);
      query.mockRestore();
      expect(page.ids).toEqual(expectedOf(wanted).slice(0, limit));
      return { ...page, isCounted: texts.some((text) => text.includes('matches as materialized')) };
    };

    it('counts nothing where many links pass the filters', async () =>
      expect(await find('example', 5, 10)).toMatchObject({ isCounted: false, total: 10, totalIsExact: false }));

    it('counts where few do', async () =>
      expect(await find('autumn', 5, 20)).toMatchObject({ isCounted: true, totalIsExact: true }));

    it('counts where many were expected, but do not fill the page soon', async () => {
      expect(await find('autumn offer', 5, 1)).toMatchObject({ isCounted: true, total: 0, totalIsExact: true });
      expect(await find('autumn', 15, 5)).toMatchObject({ isCounted: true, total: 5, totalIsExact: false });
    });
  });

  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool({ url: database.url, name: 'spec', max: 2, pipeline: true });
    await createReadModels(pool, 'registry_v1', [RECORD_TABLES.links, linkCounts]);
    await pool.query(`insert into projection_groups (name, live_version) values ('registry', 1)`);
    await run(pool, upsert('registry_v1', RECORD_TABLES.links, LINKS.map(rowOf)));
    const counts = ORGANIZATIONS.map((id) => ({ organization_id: id, links: LINKS.filter(of(id)).length }));
    await run(pool, upsert('registry_v1', linkCounts, counts));
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  /** The first pages, each of which is found by its number and by the cursor of the one before. */
  async function* pagesOf(
    wanted: Wanted,
    expected: readonly string[],
    { maxCounted, pages }: { readonly maxCounted: number; readonly pages: number },
  ) {
    let cursor: string | undefined;
    for (let page = 1; page <= pages; page++) {
      const numbered = await read({ ...wanted, page }, maxCounted);
      const isFollowed = page === 1 || cursor !== undefined;
      const followed = isFollowed ? await read({ ...wanted, page: 1, cursor }, maxCounted) : numbered;
      expect(numbered.ids).toEqual(expected.slice((page - 1) * wanted.limit, page * wanted.limit));
      expect({ ...followed, total: 0, totalIsExact: false }).toEqual({ ...numbered, total: 0, totalIsExact: false });
      cursor = numbered.nextCursor ?? undefined;
      expect(cursor !== undefined).toBe(expected.length > page * wanted.limit);
      yield numbered;
      yield followed;
    }
  }

  async function read(wanted: Wanted & { page: number; cursor?: string | undefined }, maxCounted: number) {
    const page = await readLinkPage(pool, wanted, { maxCounted, maxWalked: 40 });
    return { ...page, links: undefined, ids: page.links.map(({ id }) => id) };
  }
});

type Wanted = Pick<ListLinksDto, 'organizationId' | 'externalId' | 'tagId' | 'search' | 'sort' | 'limit'>;

const ORGANIZATIONS = ['org_1', 'org_2'];
const NAMES = ['Spring sale', 'spring offer', 'Autumn sale', 'A', 'a', 'sale', 'Sales partner'];

/** Few different names and times, so that ids decide. */
const LINKS = Array.from({ length: 120 }, (_, n) => ({
  ...plainLink,
  id: `link_${String((n * 37) % 120).padStart(3, '0')}`,
  organizationId: ORGANIZATIONS[n % 3 === 0 ? 1 : 0]!,
  slug: `slug-${n}`,
  name: NAMES[n % NAMES.length]!,
  targetUrl: `https://example.com/${n % 10}`,
  externalId: n % 4 === 0 ? 'partner' : n % 4 === 1 ? 'other' : null,
  tagIds: n % 5 === 0 ? ['tag_1'] : n % 5 === 1 ? ['tag_2', 'tag_1'] : [],
  createdAt: 1_000 * Math.floor(n / 5),
  updatedAt: 1_000 * ((n * 7) % 11),
}));
type TestLink = (typeof LINKS)[number];

const of = (organizationId: string) => (link: TestLink) => link.organizationId === organizationId;

const rowOf = ({ id, createdAt, updatedAt, ...details }: TestLink) => ({
  id,
  organization_id: details.organizationId,
  slug: details.slug,
  name: details.name,
  external_id: details.externalId,
  tag_ids: jsonText(details.tagIds),
  details: jsonText(details),
  words: linkWords(details),
  created_by: 'usr_1',
  created_at: createdAt,
  updated_at: updatedAt,
  revision: 0,
});

const request = fc.record({
  organizationId: fc.constantFrom(...ORGANIZATIONS),
  externalId: fc.constantFrom(undefined, undefined, 'partner', 'nobody'),
  tagId: fc.constantFrom(undefined, undefined, 'tag_1', 'tag_2', 'tag_3'),
  search: fc.constantFrom(undefined, undefined, 'sale', 'SPR', 'spring sa', 'example com', 'a', 'slug 7', 'none', '-'),
  sort: fc.constantFrom(...LINK_SORTS),
  limit: fc.integer({ min: 1, max: 30 }),
  pages: fc.integer({ min: 1, max: 4 }),
  maxCounted: fc.constantFrom(1, 10, 1_000),
});

/** Ids of all links that pass, in order. */
function expectedOf({ organizationId, externalId, tagId, search, sort }: Wanted): string[] {
  const passed = LINKS.filter(of(organizationId))
    .filter((link) => externalId === undefined || link.externalId === externalId)
    .filter((link) => tagId === undefined || link.tagIds.includes(tagId))
    .filter((link) => search === undefined || isFound(link, search));
  const direction = sort.startsWith('-') ? -1 : 1;
  const valueOf = (link: TestLink) => link[sort.replace('-', '') as Exclude<LinkSort, `-${string}`>];
  const order = (a: TestLink, b: TestLink) =>
    valueOf(a) === valueOf(b) ? (a.id < b.id ? -1 : 1) : valueOf(a) < valueOf(b) ? -1 : 1;
  return passed.toSorted((a, b) => direction * order(a, b)).map(({ id }) => id);
}

function isFound({ name, slug, targetUrl }: TestLink, search: string): boolean {
  const wordsOf = (text: string) =>
    text
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter(Boolean);
  const has = wordsOf(`${name} ${slug} ${targetUrl}`);
  const wanted = wordsOf(search);
  const [last, ...others] = wanted.toReversed();
  if (last === undefined) return false;
  const hasLast = has.some((word) => word === last || (last.length >= 2 && word.startsWith(last)));
  return hasLast && others.every((word) => has.includes(word));
}
