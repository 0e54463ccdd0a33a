import { ATTRIBUTES, VIEW_ATTRIBUTES } from '@ledgerline/contracts/attributes';
import { HIT, linkKindOf } from '@ledgerline/contracts/read-models/sessions';
import {
  ID_WORD_BASE,
  SESSION_FLAG,
  UNIT_FIELDS,
  type Unit,
  type UnitColumns,
  unitOfColumns,
} from '@ledgerline/contracts/read-models/session-days';
import { integerAt, readArrays, smallintAt, type Columns, timestampAt } from '../database/binary-format';

const VIEW_PARTS = VIEW_ATTRIBUTES.map((name) => ATTRIBUTES[name].hit);

/** The unit that a hit is, and its numbers in the order of `UNIT_FIELDS` after its time and path. */
type UnitOfHit = readonly [Unit, (hits: HitColumns, at: number) => readonly number[]];

const LINK: UnitOfHit = [
  'outgoing_links',
  ({ kind, text, extra }, at) => [text[at] ?? 0, extra[at] ?? 0, linkKindOf(kind[at] ?? 0) ?? 0],
];

const OF_HIT: Readonly<Record<number, UnitOfHit>> = {
  [HIT.view]: ['views', (hits, at) => VIEW_PARTS.map((part) => hits[part][at] ?? 0)],
  [HIT.custom]: ['custom_events', ({ text, extra }, at) => [text[at] ?? 0, extra[at] ?? 0]],
  [HIT.outgoing]: LINK,
  [HIT.download]: LINK,
  [HIT.ownDownload]: LINK,
  [HIT.error]: ['errors', ({ text, extra }, at) => [text[at] ?? 0, extra[at] ?? 0]],
};

type Hit = Readonly<Record<'at' | 'kind' | 'path' | 'text' | 'extra', number>>;

/** The rule of the domain (`visitsIn`): the visits of pages among the hits of one session, in order. */
export type VisitsOf = (
  hits: readonly Hit[],
) => readonly Readonly<Record<'at' | 'path' | 'timeMs' | 'scroll' | 'interactions', number>>[];

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
      const [unit, numbers] = OF_HIT[hits.kind[at] ?? 0] ?? [];
      const rows = unit && units.get(unit);
      if (!rows || !numbers) continue;
      const ids = unit === 'outgoing_links' ? idAt(hits, firstId + at - first) : [];
      rows.add(place, [hits.at[at] ?? 0, hits.path[at] ?? 0, ...numbers(hits, at), ...ids]);
    }
    if (visits && ((flags[place] ?? 0) & SESSION_FLAG.single) === 0) {
      for (const { at, path, timeMs, scroll, interactions } of visitsOf(reportedBetween(hits, first, until))) {
        visits.add(place, [at, path, timeMs, scroll, interactions]);
      }
    }
    first = until;
    firstId += hits.ids.counts[place] ?? 0;
  }
  return new Map([...units].map(([unit, rows]) => [unit, rows.columns(UNIT_FIELDS[unit])]));
}

const REPORTS: ReadonlySet<number> = new Set([HIT.leave, HIT.engagement]);

/** The hits of one session, if any of them reports a visit; else none. */
function reportedBetween(hits: HitColumns, first: number, until: number): readonly Hit[] {
  if (!hits.kind.subarray(first, until).some((kind) => REPORTS.has(kind))) return [];
  return Array.from({ length: until - first }, (_, nth) => {
    const [at, kind, path] = [hits.at[first + nth] ?? 0, hits.kind[first + nth] ?? 0, hits.path[first + nth] ?? 0];
    return { at, kind, path, text: hits.text[first + nth] ?? 0, extra: hits.extra[first + nth] ?? 0 };
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
    this.values.push(...row);
  }

  columns(names: readonly string[]): UnitColumns {
    const { counts, values } = this;
    const size = values.length / names.length;
    const column = (field: number) =>
      Float64Array.from({ length: size }, (_, row) => values[row * names.length + field] ?? 0);
    return unitOfColumns(counts, new Map(names.map((name, field) => [name, column(field)])));
  }
}

/** The hits of sessions as columns, those of one session together and in order; kind, text and extra as in `HIT`. */
interface HitColumns {
  /** How many each session has. */
  readonly counts: readonly number[];
  readonly at: Float64Array;
  readonly kind: Float64Array;
  readonly path: Float64Array;
  readonly text: Float64Array;
  readonly extra: Float64Array;
  /** The ids of the hits of sessions that have outgoing links, where they were read: words as in `UNIT_FIELDS`. */
  readonly ids: { readonly counts: readonly number[]; readonly words: readonly Float64Array[] };
}

const WORDS = [0, 1, 2, 3];

export function readHits(row: Columns): HitColumns {
  const { values: at, lengths: counts } = readArrays(row['hit_at'], timestampAt);
  const words = WORDS.map((word) =>
    readArrays(row['hit_id'], (bytes, from) => bytes.readUInt32BE(from + 4 * word) - ID_WORD_BASE),
  );
  return {
    counts,
    at,
    kind: readArrays(row['hit_kind'], smallintAt).values,
    path: readArrays(row['hit_path'], integerAt).values,
    text: readArrays(row['hit_text'], integerAt).values,
    extra: readArrays(row['hit_extra'], integerAt).values,
    ids: { counts: words[0]?.lengths ?? [], words: words.map(({ values }) => values) },
  };
}
