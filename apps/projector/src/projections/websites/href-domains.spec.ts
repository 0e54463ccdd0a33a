import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { openProjectionPool } from '../../open-pool';
import { Dictionary } from './dictionary';
import { HrefDomains } from './href-domains';

describe('the hosts of hrefs', () => {
  it('are found, also when another partition invalidates the cache meanwhile', async () => {
    const domains = new HrefDomains(dictionary);
    await domains.resolve(website, [docs]);
    const resolving = domains.resolve(website, [docs, blog]);
    domains.invalidateCache();
    const resolved = await resolving;
    expect([docs, blog].map((href) => resolved.get(href))).toEqual(await idsOf('docs.example', 'blog.example'));
  });

  it('are none for what has none', async () => {
    const resolved = await new HrefDomains(dictionary).resolve(website, [0, nowhere]);
    expect([resolved.get(0), resolved.get(nowhere)]).toEqual([0, 0]);
  });

  it('are not made up for an href whose text is gone', async () => {
    await expect(new HrefDomains(dictionary).resolve(website, [docs, 1_000_000])).rejects.toThrow(
      'The link with the number 1000000 has no text.',
    );
  });

  let database: TestDatabase;
  let pool: Pool;
  let dictionary: Dictionary;
  let website = 0;
  let docs = 0;
  let blog = 0;
  let nowhere = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 2 });
    dictionary = new Dictionary(pool);
    [docs = 0, blog = 0, nowhere = 0] = await idsOf('https://docs.example/a', 'https://blog.example/b', 'nowhere');
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const idsOf = (...texts: string[]) =>
    dictionary.intern(texts, (text, strings) => {
      website = strings.website('site_1');
      return strings.intern(website, text);
    });
});
