import { ANOTHER_PAGE } from '@ledgerline/contracts/attributes';
import { ANOTHER_PAGE_ID, NO_TEXT } from '@ledgerline/contracts/read-models/kept-counts';
import { columnOf, rowsAt, type Table } from '@ledgerline/aggregation/aggregation';
import { compareText } from '@ledgerline/domain/query/rows';
import { run as runSql, type Queryable } from '@ledgerline/platform/database/pool';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { readIntegers } from '@ledgerline/contracts/read-models/binary-format';
import { integers, sql } from '@ledgerline/platform/database/sql';
import { mapInSlices, yieldToEventLoop } from '@ledgerline/platform/log/timing';
import type { SqlRow } from '../declaration/fields';
import type { QueryType } from '../declaration/query-type';
import type { AskedCount } from './counted-type';

type Texted = Pick<QueryType, 'sessionColumns'>;

/** The texts of what a request counts, each looked up once. */
export class CountedTexts {
  private readonly texts = new Map<number, string>([
    [NO_TEXT, ''],
    [ANOTHER_PAGE_ID, ANOTHER_PAGE],
  ]);

  constructor(private readonly on: Queryable) {}

  /** Of rows that are equal but for their texts, those that come on the page or before it. */
  async upToPage(counted: Table, { type, context: { page, sort }, isTotal }: AskedCount): Promise<Table> {
    const { equal = 0, size } = counted;
    const { byText: name, texts = {} } = type.sessionColumns ?? {};
    const wanted = page.page * page.limit - (size - equal);
    if (!name || isTotal || sort || equal - wanted < FEW) return counted;
    const ids = columnOf(counted, texts[name] ?? '');
    const first = await this.firstIds(ids.subarray(size - equal), wanted);
    const rows = new Int32Array(ids.keys()).filter((row) => row < size - equal || first.has(ids[row] ?? NO_TEXT));
    return { ...counted, ...rowsAt(counted, rows) };
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
  async lookUp(counted: readonly (readonly [Table, Texted])[]): Promise<void> {
    const [lacking, pause] = [new Set<number>(), yieldToEventLoop()];
    for (const [rows, type] of counted) {
      for (const { idsAt } of textColumns(rows, type)) {
        for (let place = 0; place < rows.size; place++) {
          for (const id of idsAt(place)) if (!this.texts.has(id)) lacking.add(id);
          if (place % AT_ONCE === 0) await pause();
        }
      }
    }
    if (lacking.size === 0) return;
    const query = sql`select id, text from dictionary where id = any(${[...lacking]}::int[])`;
    for (const id of lacking) this.texts.set(id, '');
    for (const { id, text } of await runSql<{ id: number; text: string }>(this.on, query)) this.texts.set(id, text);
  }

  /** The rows with their columns of texts; rows whose label has not been looked up are left out. */
  async rowsOf(counted: Table, type: Texted): Promise<readonly SqlRow[]> {
    const columns = textColumns(counted, type);
    const labels = columns.filter(({ isLabel }) => isLabel);
    const numbers = Object.entries(counted.columns);
    const otherCells = Object.entries(counted.cells ?? {});
    const rows = await mapInSlices(Array(counted.size).keys(), (place) => {
      if (!labels.every(({ idsAt }) => idsAt(place).every((id) => this.texts.has(id)))) return undefined;
      const row: Record<string, unknown> = {};
      for (const [name, values] of numbers) row[name] = Number.isNaN(values[place]) ? null : values[place];
      for (const { name, idsAt } of columns) row[name] = this.firstOf(idsAt(place));
      for (const [name, cells] of otherCells) row[name] = cells[place];
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
  /** Whether rows differ by it; texts that are counted for a row have the name of their ids. */
  readonly isLabel: boolean;
  readonly idsAt: (place: number) => readonly number[];
}

function textColumns({ columns, lists }: Table, { sessionColumns }: Texted): TextColumn[] {
  return Object.entries(sessionColumns?.texts ?? {}).map(([name, id]) => {
    const [column, list] = [columns[id], lists?.[id]];
    const idsAt = (place: number) => list?.[place] ?? [column?.[place] ?? NaN].filter((one) => !Number.isNaN(one));
    return { name, isLabel: name !== id, idsAt };
  });
}
