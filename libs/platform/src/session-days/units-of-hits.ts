import { KINDS, kindOfHit, widthOfHit } from '@ledgerline/contracts/read-models/event-kinds';
import {
  ID_WORD_BASE,
  SESSION_FLAG,
  UNIT_FIELDS,
  type Unit,
  type UnitColumns,
  unitOfColumns,
} from '@ledgerline/contracts/read-models/session-days';
import {
  integerAt,
  readArrays,
  smallintAt,
  type Columns,
  timestampAt,
} from '@ledgerline/contracts/read-models/binary-format';

/** As `SessionHit` of the domain. */
type Hit = Readonly<Record<'at' | 'kind' | 'path' | 'hostname' | 'from', number>> & { readonly values: Float64Array };

/** The rule of the domain (`visitsIn`): the visits of pages among the hits of one session, in order. */
export type VisitsOf = (
  hits: readonly Hit[],
) => readonly Readonly<Record<'at' | 'path' | 'hostname' | 'timeMs' | 'scroll' | 'interactions', number>>[];

/** These units of sessions, which follow from their hits. `flags` of each session: see `SESSION_FLAG`. */
export function unitsOfHits(
  hits: HitColumns,
  flags: Int32Array,
  wanted: readonly Unit[],
  visitsOf: VisitsOf,
): ReadonlyMap<Unit, UnitColumns> {
  const units = new Map(wanted.map((unit) => [unit, new UnitRows(hits.counts.length)]));
  const visits = units.get('visits');
  let [first, firstId] = [0, 0];
  for (const [place, count] of hits.counts.entries()) {
    const until = first + count;
    for (let at = first; at < until; at++) {
      const { unit, hasId } = kindOfHit(hits.kind[at] ?? 0) ?? {};
      const rows = unit && units.get(unit);
      if (!rows) continue;
      const [from, until] = [hits.from[at] ?? 0, hits.from[at + 1] ?? 0];
      rows.add(place, [hits.at[at] ?? 0, hits.path[at] ?? 0, hits.hostname[at] ?? 0]);
      rows.addFields(hits.values.subarray(from, until));
      if (hasId) rows.addFields(idAt(hits, firstId + at - first));
    }
    if (visits && ((flags[place] ?? 0) & SESSION_FLAG.single) === 0) {
      for (const { at, path, hostname, timeMs, scroll, interactions } of visitsOf(
        reportedBetween(hits, first, until),
      )) {
        visits.add(place, [at, path, hostname, timeMs, scroll, interactions]);
      }
    }
    first = until;
    firstId += hits.ids.counts[place] ?? 0;
  }
  return new Map([...units].map(([unit, rows]) => [unit, rows.columns(UNIT_FIELDS[unit])]));
}

const REPORTS: ReadonlySet<number> = new Set(KINDS.flatMap(({ isReport, number }) => (isReport ? [number] : [])));

/** The hits of one session, if any of them reports a visit; else none. */
function reportedBetween(hits: HitColumns, first: number, until: number): readonly Hit[] {
  if (!hits.kind.subarray(first, until).some((kind) => REPORTS.has(kind))) return [];
  return Array.from({ length: until - first }, (_, nth) => {
    const [at, kind, path] = [hits.at[first + nth] ?? 0, hits.kind[first + nth] ?? 0, hits.path[first + nth] ?? 0];
    const [hostname, from] = [hits.hostname[first + nth] ?? 0, hits.from[first + nth] ?? 0];
    return { at, kind, path, hostname, values: hits.values, from };
  });
}

const idAt = ({ ids }: HitColumns, at: number): readonly number[] => ids.words.map((word) => word[at] ?? 0);

/** Rows of a unit, which come session by session. */
class UnitRows {
  private readonly counts: Int32Array;
  private readonly values: number[] = [];

  constructor(sessions: number) {
    this.counts = new Int32Array(sessions);
  }

  add(place: number, row: readonly number[]): void {
    this.counts[place] = (this.counts[place] ?? 0) + 1;
    this.addFields(row);
  }

  /** Further fields of the row that was added last. */
  addFields(numbers: Iterable<number>): void {
    for (const number of numbers) this.values.push(number);
  }

  columns(names: readonly string[]): UnitColumns {
    const { counts, values } = this;
    const size = values.length / names.length;
    const column = (field: number) =>
      Float64Array.from({ length: size }, (_, row) => values[row * names.length + field] ?? 0);
    return unitOfColumns(counts, new Map(names.map((name, field) => [name, column(field)])));
  }
}

/** The hits of sessions as columns, those of one session together and in order. */
interface HitColumns {
  /** How many each session has. */
  readonly counts: readonly number[];
  readonly at: Float64Array;
  readonly kind: Float64Array;
  readonly path: Float64Array;
  readonly hostname: Float64Array;
  /** The fields of all hits, and where those of each one begin and the last ones end. */
  readonly values: Float64Array;
  readonly from: Int32Array;
  /** The ids of the hits of sessions that have outgoing links, where they were read: words as in `UNIT_FIELDS`. */
  readonly ids: { readonly counts: readonly number[]; readonly words: readonly Float64Array[] };
}

const WORDS = [0, 1, 2, 3];

export function readHits(row: Columns): HitColumns {
  const { values: at, lengths: counts } = readArrays(row['hit_at'], timestampAt);
  const words = WORDS.map((word) =>
    readArrays(row['hit_id'], (bytes, from) => bytes.readUInt32BE(from + 4 * word) - ID_WORD_BASE),
  );
  const kind = readArrays(row['hit_kind'], smallintAt).values;
  const from = new Int32Array(kind.length + 1);
  for (let nth = 0; nth < kind.length; nth++) from[nth + 1] = (from[nth] ?? 0) + widthOfHit(kind[nth] ?? 0);
  return {
    ...{ counts, at, kind, from },
    path: readArrays(row['hit_path'], integerAt).values,
    hostname: readArrays(row['hit_hostname'], integerAt).values,
    values: readArrays(row['hit_values'], integerAt).values,
    ids: { counts: words[0]?.lengths ?? [], words: words.map(({ values }) => values) },
  };
}
