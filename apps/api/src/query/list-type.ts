import { ranked, withMostFrequent, type TextsOfPages } from './ranked';
import type { Fields } from './fields';
import type { Share } from './share';
import { shareOf, textIn } from './sql-row';
import { labelsOf, type Labels } from './labels';
import { byCounts, queryType, type QueryType, type SessionCounting } from './query-type';

type Described = Pick<QueryType, 'name' | 'category' | 'description'> &
  Partial<Pick<QueryType, 'publicAccess' | 'minimum'>>;

interface ListType extends Described {
  /** Of the text that a row is about. */
  readonly labels?: Labels;
  /** What comes after the labels. */
  readonly fields: Fields;
  /** `value` is the id of the text. */
  readonly count: SessionCounting;
  /** What the `percentage` of a row is. */
  readonly share?: Share;
  /** Columns of texts with those of their ids. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Texts beside a row of a page, by field. */
  readonly mostFrequent?: Readonly<Record<string, TextsOfPages>>;
  /** Fields that are neither labels nor columns. */
  readonly row?: QueryType['row'];
}

/** A list of a website in the order of its counts, each descending, in the order of the fields, and then of its labels. */
export function listType(declared: ListType): QueryType {
  const { labels = labelsOf('name'), count, share, texts, mostFrequent = {}, row, ...described } = declared;
  const fields: Fields = { ...labels.fields, ...declared.fields };
  const counts = Object.keys(fields).filter((name) => fields[name]?.type === 'integer');
  const sessionColumns = ranked(count, { by: counts, ...(share ? { share } : {}), ...(texts ? { texts } : {}) });
  return queryType({
    ...described,
    shape: 'list',
    fields,
    order: byCounts(counts, ...Object.keys(labels.fields)),
    sessionColumns: withMostFrequent(sessionColumns, mostFrequent),
    row: (found) => ({
      ...labels.of(textIn(found, 'text')),
      ...(share ? { percentage: shareOf(found, share.column) } : {}),
      ...row?.(found),
    }),
  });
}
