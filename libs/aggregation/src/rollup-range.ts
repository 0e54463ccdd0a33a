import type { Rollup } from '@ledgerline/contracts/aggregates/aggregate';
import type { Numbers } from '@ledgerline/contracts/read-models/session-days';
import { endToEnd, everyRow, take } from './columns';
import { type RowGroups, firstsOf, groupsOfAll, sumsOf } from './groups';
import { RollupPartReader, sumBetween } from './rollup-codec';
import {
  type RollupPart,
  type RollupLayout,
  type MeasureLayout,
  addedEntries,
  entriesAt,
  figuresOfGroups,
  firstFrom,
  layoutOf,
  widthOf,
} from './rollup-part';
import type { RollupScope } from './scope';
import { floats, integers, remember } from './scratch';

/** Rows of a part whose days are in the range. */
interface Part {
  readonly reader: RollupPartReader;
  readonly from: number;
  readonly to: number;
  /** Its first row among those of all parts. */
  readonly at: number;
}

/** The rows of all parts of a count whose days are in a range, as columns. */
export class RollupRange {
  readonly size: number;
  private readonly layout: RollupLayout;
  private readonly parts: readonly Part[];
  /** By number in the layout. */
  readonly column = remember((nth: number): Numbers => this.joined(nth));

  constructor(
    readonly rollup: Rollup,
    { since, until, packsOf }: RollupScope,
  ) {
    this.layout = layoutOf(rollup);
    const parts: Part[] = [];
    let size = 0;
    for (const bytes of packsOf(rollup.name)) {
      const reader = new RollupPartReader(this.layout, bytes);
      const days = reader.column(0);
      const from = firstFrom(days, since);
      const to = firstFrom(days, until + 1);
      if (from === to) continue;
      parts.push({ reader, from, to, at: size });
      size += to - from;
    }
    this.parts = parts;
    this.size = size;
  }

  /** True if all rows are of one part and one day: no two of them have the same keys. */
  get isOfOneDay(): boolean {
    const [part, ...others] = this.parts;
    if (!part || others.length > 0) return false;
    const days = part.reader.column(0);
    return days[part.from] === days[part.to - 1]; // they are in order
  }

  get days(): Int32Array {
    return Int32Array.from(this.column(0));
  }

  /** @param text of the key */
  key(text: string): Numbers {
    return this.column(1 + this.layout.keys.indexOf(text));
  }

  /** @param text of the figure */
  measure(text: string): MeasureLayout {
    const found = this.layout.measures.find(({ name }) => name === text);
    if (!found) throw new Error(`Of ${this.rollup.name} no ${text} is stored.`);
    return found;
  }

  /**
   * Returns how many visitors or sessions of each row were not there before in the range.
   * @param since its first day; undefined = all that were there on the day
   */
  firstSeen({ first }: MeasureLayout, since: number | undefined): Float64Array {
    const found = floats(this.size);
    for (const { reader, from, to, at } of this.parts) {
      const days = reader.column(0);
      const lengths = reader.column(first);
      const ago = reader.column(first + 1);
      const counts = reader.column(first + 2);
      let entry = sumBetween(lengths, 0, from);
      for (let row = from; row < to; row++) {
        const most = since === undefined ? 0 : (days[row] as number) - since;
        let sum = 0;
        for (const end = entry + (lengths[row] as number); entry < end; entry++) {
          const days = ago[entry] as number;
          if (days === 0 || days > most) sum += counts[entry] as number;
        }
        found[at + row - from] = sum;
      }
    }
    return found;
  }

  /** The entries of a measure, with the row of each. */
  entries({ first }: MeasureLayout): { readonly rows: Int32Array; readonly at: Numbers; readonly counts: Numbers } {
    const spans = this.parts.map(({ reader, from, to }) => {
      const lengths = reader.column(first);
      return [sumBetween(lengths, 0, from), sumBetween(lengths, 0, to)] as const;
    });
    const size = spans.reduce((sum, [from, to]) => sum + to - from, 0);
    const rows = integers(size);
    const bins = floats(size);
    const counts = floats(size);
    let place = 0;
    for (const [nth, { reader, from, to, at }] of this.parts.entries()) {
      const lengths = reader.column(first);
      const [begin = 0, end = 0] = spans[nth] ?? [];
      bins.set(reader.column(first + 1).subarray(begin, end), place);
      counts.set(reader.column(first + 2).subarray(begin, end), place);
      for (let row = from; row < to; row++)
        for (let left = lengths[row] as number; left > 0; left--) rows[place++] = at + row - from;
    }
    return { rows, at: bins, counts };
  }

  /** The columns of a sum or an extreme of each group of rows; -1 = no extreme. */
  figures(groups: RowGroups, { stored, first }: MeasureLayout): readonly Float64Array[] {
    const columns = Array.from({ length: widthOf(stored) }, (_, nth) => this.column(first + nth));
    return figuresOfGroups(groups, stored, columns);
  }

  /** All rows of the range by their keys alone, as rows of its first day: a part that counts the same in this range. */
  preAggregated(day: number): RollupPart {
    const { keys, measures } = this.layout;
    const columns = keys.map((_, nth) => this.column(1 + nth));
    const groups = groupsOfAll(columns, this.size);
    const firsts = firstsOf(groups);
    const found: Numbers[] = [integers(groups.count).fill(day), ...columns.map((key) => take(key, firsts))];
    for (const measure of measures) {
      const { stored } = measure;
      if (stored.what === 'visitors' || stored.what === 'sessions') {
        const counts = sumsOf(groups, this.firstSeen(measure, day));
        found.push(integers(groups.count).fill(1), integers(groups.count), counts);
      } else if (stored.what === 'bins') {
        const { rows, ...entries } = this.entries(measure);
        const added = addedEntries(groups.count, { ...entries, rows: take(groups.numbers, rows) });
        found.push(...entriesAt(added, everyRow(groups.count)));
      } else {
        found.push(...this.figures(groups, measure));
      }
    }
    return { size: groups.count, columns: found };
  }

  private joined(nth: number): Numbers {
    return endToEnd(this.parts.map(({ reader, from, to }) => reader.column(nth).subarray(from, to)));
  }
}
