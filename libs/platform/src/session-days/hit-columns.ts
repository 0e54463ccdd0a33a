import { ID_WORD_BASE } from '@ledgerline/contracts/read-models/session-days';
import { integerAt, readArrays, smallintAt, type Columns } from '../database/binary-columns';
import { timestampAt } from '../database/binary-format';

/** The hits of sessions as columns, those of one session together and in order; kind, text and extra as in `HIT`. */
export interface HitColumns {
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
