import { type ReadModelColumn, key, last, notCompared, readModel } from '../read-models/read-model';
import type { Rollup } from './aggregate';
import { ROLLUPS } from './website-aggregates';

/** Null = nothing. */
const packed = ({ text }: Rollup): ReadModelColumn<'last'> => ({ ...last('bytea?'), holds: text });

/**
 * The stored aggregates of the sessions and facts of a website: rows of differences, each of which a batch adds and none
 * ever changes; all together are the figures. A column holds what an aggregate changes by day and key (`rollup-part` of the
 * library `aggregation`). Rows are merged into fewer ones of the same sum. As columns are named by what they hold, another declaration is
 * another column, which is filled beside the one that answers.
 */
export const websiteRollups = notCompared(
  readModel(
    'website_rollups',
    {
      website: key('integer'),
      /** Random: it names the content of the row. */
      number: key('bigint'),
      /** The first and last day of the website's own zone that it has numbers of (since 1970-01-01). */
      since: last('integer'),
      until: last('integer'),
      /** The bytes of all columns together. */
      size: last('integer'),
      ...Object.fromEntries(ROLLUPS.map((rollup) => [rollup.name, packed(rollup)])),
    },
    [{ on: ['website', 'size'] }],
  ),
);
