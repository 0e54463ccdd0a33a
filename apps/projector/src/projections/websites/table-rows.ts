import { EVERY_VALUE, SPANS } from '@ledgerline/contracts/read-models/blocks';
import { ID_WORD_BASE } from '@ledgerline/contracts/read-models/session-days';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { ChangedFigures, Differences } from '@ledgerline/domain/counting/differences';
import type { ChangedDistinct } from '@ledgerline/domain/counting/distinct-differences';
import type { KeptRows } from '@ledgerline/domain/counting/kept-rows';
import { FIFTEEN_MINUTES_MS } from '@ledgerline/domain/time/fifteen-minutes';
import { Numbering } from '@ledgerline/domain/counting/numbering';
import { blockOf } from '@ledgerline/domain/sessions/day-blocks';
import { addHistograms, type Histogram } from '@ledgerline/platform/database/histogram';
import { addsSomething, mergeRolesOf, type Row, type Value } from '@ledgerline/platform/database/read-model-rows';
import type { KeptPart } from './kept-tables';

/** Whether a day is before the latest one of its website. */
export type IsClosed = (website: number, day: number) => boolean;
/** In tables that are filled by appending rows. */
export const NOTHING_CLOSED: IsClosed = () => false;

interface Filled {
  readonly builds: ReadModel;
  readonly bucket?: 'hour';
  /** It also has rows of the sum of all values. */
  readonly hasEveryValue?: true;
}

/**
 * What the parts of a table change in it: rows to be merged, one per key, of days and of the blocks that they lie in; those
 * that add nothing are left out.
 */
export function tableRows(
  table: Filled,
  changes: readonly (readonly [KeptPart, Differences])[],
  isClosed: IsClosed,
): readonly Row[] {
  const size = changes.reduce((sum, [, each]) => sum + sizeOf(each), 0);
  if (size === 0) return [];
  const rows = new TableRows(table, size, isClosed);
  for (const [part, { figures, distinct }] of changes) {
    if (figures.size > 0) rows.addFigures(part, figures);
    for (const measure in distinct) {
      const column = part.columns[measure];
      if (column !== undefined) for (const each of distinct[measure] ?? []) rows.addDistinct(part, column, each);
    }
  }
  return rows.changed();
}

/** Whether any row is a difference by which a table may hold a row that adds nothing. */
export const takesAway = (rows: readonly Row[], { sums, histograms }: ReturnType<typeof mergeRolesOf>): boolean =>
  rows.some(
    (row) =>
      sums.some((name) => (row[name] as number) < 0) ||
      histograms.some((name) => (row[name] as Histogram).some((count, at) => at % 2 === 1 && count < 0)),
  );

const sizeOf = ({ figures, distinct }: Differences): number =>
  Object.values(distinct)
    .flat()
    .reduce((sum, { size }) => sum + size, figures.size);

/** A day, or a block of days that it lies in. */
interface Place {
  readonly span: number;
  readonly day: number;
  readonly code: number;
  /** The number of its rows without a previous day. */
  readonly time: number;
}
/** A row of changes: its keys, and a number of their values. */
interface Keyed {
  readonly keys: readonly Key[];
  readonly at: number;
  readonly website: number;
  readonly value: number;
}
type MutableRow = Record<string, Value>;
type Add = (row: MutableRow, value: Value) => void;

/** TRICKY: each is used for one table at a time; fresh ones would be slow. */
const [PLACES, TIMES, VALUES, ROWS] = [new Numbering(), new Numbering(), new Numbering(), new Numbering()];
const [MOST_DAYS, MOST_VALUES, MOST_TEXTS] = [2 ** 22, 2 ** 26, 2 ** 31];

class TableRows {
  private readonly rows: MutableRow[] = [];
  private readonly places = new Map<number, readonly Place[]>();
  private readonly roles: ReturnType<typeof mergeRolesOf>;
  private readonly template: Readonly<MutableRow>;
  private readonly everyValue: readonly boolean[];

  constructor(
    private readonly table: Filled,
    size: number,
    private readonly isClosed: IsClosed,
  ) {
    this.roles = mergeRolesOf(table.builds);
    this.template = templateOf(table.builds);
    this.everyValue = table.hasEveryValue ? [false, true] : [false];
    const most = 2 * size * SPANS.length * this.everyValue.length;
    for (const numbering of [PLACES, TIMES, VALUES, ROWS]) numbering.clear(most);
  }

  addFigures(part: KeptPart, changes: ChangedFigures): void {
    const added = Object.entries(changes.figures).flatMap(([measure, { values, by }]) => {
      const column = part.columns[measure];
      return column === undefined ? [] : [{ values, add: by ? latest(column, by) : this.adding(column) }];
    });
    if (added.length === 0) return;
    this.each(part, changes, (keyed, place) => {
      const row = this.rowOf(keyed, place);
      for (const { values, add } of added) add(row, values[keyed.at] as Value, keyed.at);
    });
  }

  /** A block counts those who were not there before in it, and apart from them those who were there before the block. */
  addDistinct(part: KeptPart, column: string, changes: ChangedDistinct): void {
    const hasPreviousDays = 'previous_day' in this.template;
    this.each(part, changes, (keyed, place) => {
      const [count, previousDay] = [changes.count[keyed.at] as number, changes.previousDay[keyed.at] as number];
      if (previousDay >= place.day) return;
      addTo(this.rowOf(keyed, place), column, count);
      if (hasPreviousDays && previousDay !== -Infinity) addTo(this.rowOf(keyed, place, previousDay), column, count);
    });
  }

  changed(): readonly Row[] {
    const { mins, maxes } = this.roles;
    const rows = this.rows as readonly Row[];
    return mins.length + maxes.length > 0 ? rows : rows.filter((row) => addsSomething(row, this.roles));
  }

  /** An open day is in no longer block yet. */
  private placesOf({ website, day }: KeptRows, at: number): readonly Place[] {
    const [of, on] = [website[at] as number, day[at] as number];
    const key = of * MOST_DAYS + (this.table.bucket ? on / FIFTEEN_MINUTES_MS : on);
    const known = this.places.get(key);
    if (known) return known;
    const spans = 'span' in this.template && this.isClosed(of, on) ? SPANS : [1];
    const places = spans.map((span, nth): Place => {
      const first = span === 1 ? on : blockOf(on, span);
      const code =
        PLACES.numberOf(of * MOST_DAYS + (this.table.bucket ? first / FIFTEEN_MINUTES_MS : first)) * SPANS.length + nth;
      return { span, day: first, code, time: TIMES.numberOf(code * MOST_DAYS) };
    });
    this.places.set(key, places);
    return places;
  }

  /** Each of the rows in the days and blocks that it lies in, and again for the sum of all values. */
  private each(part: KeptPart, of: KeptRows, work: (keyed: Keyed, place: Place) => void): void {
    for (const isEvery of this.everyValue) {
      const keys = keysOf(part, of, isEvery);
      for (let at = 0; at < of.size; at++) {
        const keyed = { keys, at, website: of.website[at] as number, value: valueOf(keys, at) };
        for (const place of this.placesOf(of, at)) work(keyed, place);
      }
    }
  }

  private rowOf({ keys, at, website, value }: Keyed, place: Place, previousDay = -Infinity): MutableRow {
    const { span, day, code } = place;
    const time = previousDay === -Infinity ? place.time : TIMES.numberOf(code * MOST_DAYS + previousDay + 1);
    const known = this.rows[ROWS.numberOf(time * MOST_VALUES + value)];
    if (known) return known;
    const row: MutableRow = { ...this.template };
    row['website'] = website;
    row[this.table.bucket ?? 'day'] = day;
    if ('span' in row) row['span'] = span;
    if ('previous_day' in row) row['previous_day'] = previousDay;
    for (const key of keys) row[key.column] = key.at(at);
    this.rows.push(row); // at the number that it got
    return row;
  }

  private adding(column: string): Add {
    const { sums, histograms, mins } = this.roles;
    if (sums.includes(column)) return (row, value) => addTo(row, column, value as number);
    if (histograms.includes(column))
      return (row, value) => (row[column] = addHistograms(row[column] as Histogram, value as Histogram));
    const sign = mins.includes(column) ? -1 : 1;
    return (row, value) => {
      const held = row[column] as number | null;
      if (held === null || sign * (value as number) > sign * held) row[column] = value;
    };
  }
}

interface Key {
  readonly column: string;
  readonly at: (at: number) => number;
}

function keysOf({ keys = {}, values = {} }: KeptPart, of: KeptRows, isEvery: boolean): readonly Key[] {
  const held = Object.entries(of.keys).map(([name, column]): Key => {
    return { column: keys[name] ?? name, at: (at) => column[at] as number };
  });
  const given = Object.entries(values).map(([column, value]): Key => ({ column, at: () => value }));
  const every = (key: Key): Key => (key.column === 'value' ? { ...key, at: () => EVERY_VALUE } : key);
  return [...held, ...given].map((key) => (isEvery ? every(key) : key));
}

/** A number of the values of the keys of a row. */
function valueOf(keys: readonly Key[], at: number): number {
  let value = 0;
  for (const key of keys) value = VALUES.numberOf(value * MOST_TEXTS + key.at(at) + 1);
  return value;
}

const addTo = (row: MutableRow, column: string, count: number) => (row[column] = (row[column] as number) + count);

/** The value of the latest click: by its time and the event's id, as one sortable text. */
function latest(
  column: string,
  [times, ...words]: readonly Float64Array[],
): (row: MutableRow, value: Value, at: number) => void {
  return (row, value, at) => {
    const id = words.map((word) => ((word[at] as number) + ID_WORD_BASE).toString(16).padStart(8, '0')).join('');
    const click = `${new Date(times?.[at] ?? 0).toISOString()} ${id}`;
    const held = row['last_click'] as string | null;
    if (held !== null && held >= click) return;
    row['last_click'] = click;
    row[column] = value;
  };
}

const templates = new WeakMap<ReadModel, MutableRow>();

/** A row that adds nothing. TRICKY: copies of one object are many times faster than objects that are put together. */
function templateOf(model: ReadModel): MutableRow {
  const known = templates.get(model);
  if (known) return known;
  const { names, sums, histograms } = mergeRolesOf(model);
  const template: MutableRow = {};
  for (const name of names) template[name] = histograms.includes(name) ? [] : sums.includes(name) ? 0 : null;
  templates.set(model, template);
  return template;
}
