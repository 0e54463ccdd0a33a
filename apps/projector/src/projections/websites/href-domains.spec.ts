import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../../test/postgres/test-database';
import { openProjectionPool } from '../../open-pool';
import { HrefDomains } from './href-domains';
import { wordsOf, type WebsiteWords } from './read-hit';
import { Words } from './words';

describe('the hosts of hrefs', () => {
  it('are found, whatever another partition has forgotten meanwhile', async () => {
    const domains = new HrefDomains(words);
    await domains.resolve(site.website, [docs]);
    const resolving = domains.resolve(site.website, [docs, blog]);
    domains.forget();
    const resolved = await resolving;
    expect([docs, blog].map((href) => resolved.get(href))).toEqual(await learnt('docs.example', 'blog.example'));
  });

  it('are none for what has none', async () => {
    const resolved = await new HrefDomains(words).resolve(site.website, [0, nowhere]);
    expect([resolved.get(0), resolved.get(nowhere)]).toEqual([0, 0]);
  });

  it('are not made up for an href that no word is left of', async () => {
    await expect(new HrefDomains(words).resolve(site.website, [docs, 1_000_000])).rejects.toThrow(
      'The link with the number 1000000 has no text.',
    );
  });

  let database: TestDatabase;
  let pool: Pool;
  let words: Words;
  let site: WebsiteWords;
  let [docs, blog, nowhere] = [0, 0, 0];

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 2 });
    words = new Words(pool);
    [docs, blog, nowhere] = await learnt('https://docs.example/a', 'https://blog.example/b', 'nowhere');
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  /** The numbers of these words. */
  async function learnt<Texts extends readonly string[]>(...texts: Texts): Promise<{ [At in keyof Texts]: number }> {
    const dictionary = words.dictionary();
    for (;;) {
      const before = dictionary.misses;
      site = wordsOf(dictionary, 'site_1');
      const numbers = texts.map(site.word) as { [At in keyof Texts]: number };
      if (dictionary.misses === before) return numbers;
      await dictionary.learn();
    }
  }
});
