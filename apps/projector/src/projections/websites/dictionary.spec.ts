import type { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { openProjectionPool } from '../../open-pool';
import { Dictionary } from './dictionary';

describe('the dictionary', () => {
  it('gives a text one id in each scope, also after its cache was invalidated', async () => {
    const dictionary = new Dictionary(pool);
    const [first, again, other] = await idsOf(dictionary, ['site_1', '/a'], ['site_1', '/a'], ['site_2', '/a']);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    dictionary.invalidateCache();
    expect(await idsOf(dictionary, ['site_1', '/a'])).toEqual([first]);
  });

  it('gives the same ids in two processes at once', async () => {
    const texts = Array.from({ length: 50 }, (_, n): [string, string] => ['site_3', `/page/${n}`]);
    const [one, other] = await Promise.all([new Dictionary(pool), new Dictionary(pool)].map((d) => idsOf(d, ...texts)));
    expect(one).toEqual(other);
    expect(new Set(one).size).toBe(50);
  });

  it('gives 0 to what is missing, and one id to texts that differ in NUL alone', async () => {
    const [empty, missing, one, other] = await idsOf(
      new Dictionary(pool),
      ['site_1', ''],
      ['site_1', null],
      ['site_1', 'ab'],
      ['site_1', 'a\u0000b'],
    );
    expect([empty, missing]).toEqual([0, 0]);
    expect(other).toBe(one);
  });

  it('reads an item again until all of its texts have ids', async () => {
    const read: string[] = [];
    const dictionary = new Dictionary(pool);
    const results = await dictionary.intern(['/x', '/y'], (text, strings) => {
      read.push(text);
      return strings.intern(strings.website('site_4'), text);
    });
    expect(results.every((id) => id > 0)).toBe(true);
    expect(read).toEqual(['/x', '/y', '/x', '/y', '/x', '/y']); // first the website gets its id, then its texts
    await dictionary.intern(['/x'], (text, strings) => read.push(`${text} ${strings.website('site_4')}`));
    expect(read).toHaveLength(7);
  });

  it('notes a text that was changed, reads it as the log has it, and mends it if that is wanted', async () => {
    const dictionary = new Dictionary(pool);
    const [id = 0] = await idsOf(dictionary, ['site_5', '/docs']);
    const stored = async () => (await new Dictionary(pool).textsOf([id])).get(id);
    await pool.query(`update dictionary set text = '/hacked' where id = $1`, [id]);
    dictionary.noteChanged({ mends: false });
    expect(await idsOf(dictionary, ['site_5', '/docs'])).toEqual([id]);
    expect([...dictionary.changed.values()]).toMatchObject([{ id, text: '/docs', found: '/hacked' }]);
    expect([(await dictionary.textsOf([id])).get(id), await stored()]).toEqual(['/docs', '/hacked']);
    dictionary.noteChanged({ mends: true });
    expect(await idsOf(dictionary, ['site_5', '/docs'], ['site_5', '/other'])).toContain(id);
    expect([dictionary.changed.size, await stored()]).toEqual([1, '/docs']);
    dictionary.noteChanged({ mends: true });
    await idsOf(dictionary, ['site_5', '/docs']);
    expect(dictionary.changed.size).toBe(0);
  });

  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 4 });
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const idsOf = (dictionary: Dictionary, ...texts: (readonly [website: string, text: string | null])[]) =>
    dictionary.intern(texts, ([website, text], strings) => strings.intern(strings.website(website), text));
});
