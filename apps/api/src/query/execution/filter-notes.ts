import { nearestValue } from '@ledgerline/domain/query/nearest-value';
import { cutText } from '../../http/display-name';
import { isIdFilter } from '../query-type';
import type { QueryRequest } from '../request/read-requests';
import { figuresOf } from './comparison';
import type { RequestFilter } from './filters';
import { isInRange, knownValues } from './known-values';
import { TOTAL, type ParameterResult } from './response';
import type { SnapshotReader } from './snapshot';

/**
 * For an answer that has neither rows nor counts: each filter that nothing in the range passes, with the nearest values
 * that there are, or that they pass nothing together. Answers with rows cost nothing more.
 */
export async function filterNotes(
  request: QueryRequest,
  filters: readonly RequestFilter[],
  entries: readonly ParameterResult[],
  reader: SnapshotReader,
): Promise<readonly string[]> {
  if (filters.length === 0 || !isEmpty(request, entries)) return [];
  const notes: string[] = [];
  const passed: RequestFilter[] = [];
  for (const filter of filters) {
    const { field, given, negated } = filter;
    if (negated || isIdFilter(field)) continue;
    if (await isInRange(request, [filter], reader)) {
      passed.push(filter);
      continue;
    }
    const known = await knownValues(request, field, reader);
    notes.push(noteOn(field, given, new Set(given.flatMap((each) => nearestValue(each, known) ?? []))));
  }
  const isTogether = notes.length > 0 || passed.length < 2 || (await isInRange(request, passed, reader));
  return isTogether ? notes : ['The filters match nothing together in the range.'];
}

const MAX_VALUE = 80;

function noteOn(field: string, values: readonly string[], nearest: ReadonlySet<string>): string {
  const listed = (texts: Iterable<string>) =>
    [...texts].map((text) => JSON.stringify(cutText(text, MAX_VALUE))).join(', ');
  const meant = nearest.size > 0 ? ` The nearest known value: ${listed(nearest)}.` : '';
  return `The filter on ${field} matches nothing in the range: ${listed(values)}.${meant}`;
}

/** At least one type was answered about the range, and those that were have no rows or only zeros. */
function isEmpty({ parameters }: QueryRequest, entries: readonly ParameterResult[]): boolean {
  const answered = entries.flatMap((entry, at) => {
    const type = parameters[at]?.type;
    return entry.success && type && !type.isAboutNow ? [{ entry, type }] : [];
  });
  const hasNone = ({ entry, type }: (typeof answered)[number]) =>
    entry[TOTAL] === undefined
      ? entry.data.every((row) => figuresOf(type).every((name) => !row[name]))
      : entry[TOTAL] === 0;
  return answered.length > 0 && answered.every(hasNone);
}
