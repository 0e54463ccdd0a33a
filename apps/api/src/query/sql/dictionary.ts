import { columnOf, rowsAt, type Table } from '@ledgerline/aggregation/aggregation';
import { ANOTHER_PAGE } from '@ledgerline/contracts/attributes';
import type { Criterion } from '@ledgerline/contracts/criterion';
import { globExpression } from '@ledgerline/contracts/glob';
import { readIntegers } from '@ledgerline/contracts/read-models/binary-format';
import { ANOTHER_PAGE_ID, NO_TEXT, PART_SEPARATOR } from '@ledgerline/contracts/read-models/dictionary';
import { foldsCase, isHost, kindOf, passes, spellingsOf } from '@ledgerline/domain/query/filters';
import { compareText, type PageRequest } from '@ledgerline/domain/query/rows';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { run as runSql, type Queryable } from '@ledgerline/platform/database/pool';
import { type Sql, integers, joinSql, sql, textHash } from '@ledgerline/platform/database/sql';
import { mapInSlices, yieldToEventLoop } from '@ledgerline/platform/log/timing';
import type { SqlRow } from '../declaration/fields';
import type { QueryType } from '../declaration/query-type';

/** The ids of a website's texts that match. */
export async function matchingTextIds(on: Queryable, website: number, wanted: Criterion): Promise<number[]> {
  const rows = await runSql<{ id: number; text: string }>(on, candidateTexts(website, wanted));
  const { field } = wanted;
  const isDecidedHere = kindOf(field) === 'country' || isHost(field);
  const found = rows.filter(({ text }) => !isDecidedHere || passes(wanted, spellingsOf(field, text)));
  return [...(passes(wanted, ['']) ? [NO_TEXT] : []), ...found.map(({ id }) => id)];
}

/** Texts that may match: exactly these, except that countries and hosts go by spellings that Postgres does not know. */
function candidateTexts(website: number, wanted: Criterion): Sql {
  const { field, test, values } = wanted;
  const ofPlaces = kindOf(field) === 'place';
  const texts = sql`select id, text from dictionary where scope = ${website}`;
  if (kindOf(field) === 'country') return sql`${texts} and length(text) = 2`;
  if (test === 'equal' && !ofPlaces && !foldsCase(wanted)) {
    return sql`${texts} and hash = any(${values.map(textHash)}::uuid[])`;
  }
  const bare = ofPlaces ? sql`split_part(text, ${PART_SEPARATOR}, 2)` : sql`text`;
  const fold = (text: Sql) => (foldsCase(wanted) ? sql`lower(${text})` : text);
  const matches = values.map((value) => {
    const sought = fold(sql`${value}::text`);
    if (isHost(field) && /[^\0-\x7f]/.test(value)) return sql`strpos(text, 'xn--') > 0`;
    if (test === 'equal') return sql`${fold(bare)} = ${sought}`;
    if (test === 'glob') return sql`${fold(bare)} ~ ${globExpression(foldsCase(wanted) ? value.toLowerCase() : value)}`;
    return test === 'start' ? sql`starts_with(${fold(bare)}, ${sought})` : sql`strpos(${fold(bare)}, ${sought}) > 0`;
  });
  const isPlace = ofPlaces ? sql` and strpos(text, ${PART_SEPARATOR}) > 0` : sql``;
  return sql`${texts}${isPlace} and (${joinSql(matches, ' or ')})`;
}

type Texted = Pick<QueryType, 'counting'>;

/** The texts that the tables of a request name by ids, each looked up once. */
export class TableTexts {
  private readonly texts = new Map<number, string>([
    [NO_TEXT, ''],
    [ANOTHER_PAGE_ID, ANOTHER_PAGE],
  ]);

  constructor(private readonly on: Queryable) {}

  /**
   * Returns of rows that are equal but for their texts, in the order of a type, those that come on the page or before
   * it.
   */
  async upToPage(table: Table, { counting }: Texted, { page, limit }: PageRequest): Promise<Table> {
    const { equal = 0, size } = table;
    const { byText: name, texts = {} } = counting ?? {};
    const wanted = page * limit - (size - equal);
    if (!name || equal - wanted < FEW) return table;
    const ids = columnOf(table, texts[name] ?? '');
    const first = await this.firstIds(ids.subarray(size - equal), wanted);
    const rows = new Int32Array(ids.keys()).filter((row) => row < size - equal || first.has(ids[row] ?? NO_TEXT));
    return { ...table, ...rowsAt(table, rows) };
  }

  /** The ids of the first texts, by code point; what has another text than that of its id is among them. */
  private async firstIds(ids: Float64Array, count: number): Promise<ReadonlySet<number>> {
    const all = binaryArray('integer', Array.from(ids)); // there may be millions
    const first = sql`select id from dictionary where id = any(${all}::int[]) order by text collate "C" limit ${count}`;
    const query = sql`select ${integers(sql`id`)} as ids from (${first}) first`;
    const [row] = await runSql<{ ids: string | null }>(this.on, query);
    return new Set([...this.texts.keys(), ...readIntegers(row?.ids)]);
  }

  /** Looks up what these rows name. */
  async lookUp(tables: readonly (readonly [Table, Texted])[]): Promise<void> {
    const lacking = new Set<number>();
    const pause = yieldToEventLoop();
    for (const [table, type] of tables) {
      for (const { idsAt } of textColumns(table, type)) {
        for (let row = 0; row < table.size; row++) {
          for (const id of idsAt(row)) if (!this.texts.has(id)) lacking.add(id);
          if (row % AT_ONCE === 0) await pause();
        }
      }
    }
    if (lacking.size === 0) return;
    const query = sql`select id, text from dictionary where id = any(${[...lacking]}::int[])`;
    for (const id of lacking) this.texts.set(id, '');
    for (const { id, text } of await runSql<{ id: number; text: string }>(this.on, query)) this.texts.set(id, text);
  }

  /** The rows with their columns of texts; rows whose label has not been looked up are left out. */
  async rowsOf(table: Table, type: Texted): Promise<readonly SqlRow[]> {
    const columns = textColumns(table, type);
    const labels = columns.filter(({ isLabel }) => isLabel);
    const numbers = Object.entries(table.columns);
    const otherCells = Object.entries(table.cells ?? {});
    const rows = await mapInSlices(Array(table.size).keys(), (at) => {
      if (!labels.every(({ idsAt }) => idsAt(at).every((id) => this.texts.has(id)))) return undefined;
      const row: Record<string, unknown> = {};
      for (const [name, values] of numbers) row[name] = Number.isNaN(values[at]) ? null : values[at];
      for (const { name, idsAt } of columns) row[name] = this.firstOf(idsAt(at));
      for (const [name, cells] of otherCells) row[name] = cells[at];
      return row;
    });
    return rows.filter((row) => row !== undefined);
  }

  /** The first text by code point; null of none. */
  private firstOf(ids: readonly number[]): string | null {
    const texts = ids.map((id) => this.texts.get(id) ?? '');
    return texts.reduce<string | null>((a, b) => (a !== null && compareText(a, b) <= 0 ? a : b), null);
  }
}

const AT_ONCE = 10_000;
/** The texts of fewer rows are looked up sooner than put in order by Postgres. */
const FEW = 1_000;

interface TextColumn {
  readonly name: string;
  /** True if rows differ by it; texts that are counted for a row have the name of their ids. */
  readonly isLabel: boolean;
  readonly idsAt: (row: number) => readonly number[];
}

function textColumns({ columns, lists }: Table, { counting }: Texted): TextColumn[] {
  return Object.entries(counting?.texts ?? {}).map(([name, id]) => {
    const column = columns[id];
    const list = lists?.[id];
    const idsAt = (row: number) => list?.[row] ?? [column?.[row] ?? NaN].filter((one) => !Number.isNaN(one));
    return { name, isLabel: name !== id, idsAt };
  });
}
