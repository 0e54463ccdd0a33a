import { openSqlDatabase, type SqlDatabase } from '@test/query/sql-database';
import { byCounts, queryType } from '../query-type';
import { count, orNull, text } from '../fields';
import { CountedTexts } from './counted-texts';

const type = queryType({
  name: 'links',
  about: 'website',
  shape: 'list',
  category: 'Spec',
  description: 'Links with the text and the target that come with them',
  fields: { href: text, label: text, target: orNull(text), clicks: count },
  order: byCounts(['clicks'], 'href'),
  sources: {},
  sessionColumns: {
    count: () => ({ size: 0, columns: {} }),
    texts: { href: 'value', label: 'label', target: 'target' },
  },
});

let database: SqlDatabase;
beforeAll(async () => (database = await openSqlDatabase()));
afterAll(() => database.close());

const countedOf = (rows: readonly (readonly [value: number, label: number, targets: readonly number[] | null])[]) => ({
  size: rows.length,
  columns: {
    value: Float64Array.from(rows, ([value]) => value),
    label: Float64Array.from(rows, ([, label]) => label),
  },
  lists: { target: rows.map(([, , targets]) => targets) },
});

it('rows have the texts of their ids, of several the first by code point', async () => {
  const [href = 0, z = 0, emoji = 0, last = 0] = await database.texts(['https://a.example', 'z', '😀', '\uffff']);
  const texts = new CountedTexts(database.pool);
  const counted = countedOf([
    [href, 0, [z, last, emoji]],
    [z, href, [emoji, last]],
    [emoji, z, null],
  ]);
  await texts.lookUp([[counted, type]]);
  const found = (await texts.rowsOf(counted, type)).map((row) => [row['href'], row['label'], row['target']]);
  expect(found).toEqual([
    ['https://a.example', '', 'z'],
    ['z', 'https://a.example', '\uffff'],
    ['😀', 'z', null],
  ]);
});

it('rows of an earlier range are left out by what they are about, whatever else they name', async () => {
  const [shop = 0, other = 0, label = 0, target = 0] = await database.texts(['/shop', '/other', 'Shop', '#buy']);
  const texts = new CountedTexts(database.pool);
  await texts.lookUp([[countedOf([[shop, 0, null]]), type]]);
  const earlier = countedOf([
    [other, 0, null],
    [shop, label, [target]],
  ]);
  expect((await texts.rowsOf(earlier, type)).map((row) => row['href'])).toEqual(['/shop']);
});
