import { ANOTHER_PAGE } from '@ledgerline/contracts/attributes';
import { ANOTHER_PAGE_ID, NO_TEXT } from '@ledgerline/contracts/read-models/kept-counts';
import type { Table } from '@ledgerline/aggregation/aggregation';
import { compareText } from '@ledgerline/domain/query/rows';
import { run as runSql, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { mapInSlices, yieldToEventLoop } from '@ledgerline/platform/log/timing';
import type { SqlRow } from '../fields';
import type { QueryType } from '../query-type';

type Texted = Pick<QueryType, 'sessionColumns'>;

/** The texts of what a request counts, each looked up once. */
export class CountedTexts {
  private readonly texts = new Map<number, string>([
    [NO_TEXT, ''],
    [ANOTHER_PAGE_ID, ANOTHER_PAGE],
  ]);

  constructor(private readonly on: Queryable) {}

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
