import type { AnswerRow } from '@ledgerline/domain/query/rows';
import { cutText } from '../http/fields';
import type { ParameterEntry, RequestAnswer } from '../query/execution/response';
import { queryTypeNamed } from '../query/types/catalogue';

/** Characters of JSON for all rows of an answer together, and for those of one query type at least. */
const MAX_CHARACTERS = 24_000;
const MIN_CHARACTERS = 1_500;
const MAX_TEXT = 500;
const MAX_ITEMS = 20;

interface TruncatedAnswer {
  readonly data: readonly TruncatedEntry[];
  readonly meta: RequestAnswer['meta'];
  readonly truncated: boolean;
}

interface TruncatedEntry {
  readonly parameter: string;
  readonly success: boolean;
  readonly error?: string;
  readonly data: readonly AnswerRow[];
  readonly truncated?: true;
}

/** An answer that a model can read whole; the notes say what was left out, and how to get it. */
export function truncateForModel({ data, meta }: Omit<RequestAnswer, 'success' | 'queryId'>): TruncatedAnswer {
  const characters = Math.max(MIN_CHARACTERS, Math.floor(MAX_CHARACTERS / data.length));
  const truncated = data.map((entry) => truncateEntry(entry, characters));
  const notes = truncated.flatMap(({ note }) => note ?? []);
  return {
    data: truncated.map(({ entry }) => entry),
    meta: { ...meta, notes: [...meta.notes, ...notes] },
    truncated: notes.length > 0,
  };
}

interface Truncated {
  readonly entry: TruncatedEntry;
  readonly note?: string;
}

function truncateEntry(entry: ParameterEntry, characters: number): Truncated {
  const { parameter } = entry;
  if (!entry.success) return { entry: { parameter, success: false, error: entry.error, data: [] } };
  const rounded = withRoundedFractions(entry.data);
  const rows = rounded.map(shortenForModel);
  const isSeries = queryTypeNamed(parameter)?.shape === 'series';
  const { kept, how } = isSeries ? everyNth(rows, characters) : firstOf(rows, characters);
  const isShorter = JSON.stringify(rows) !== JSON.stringify(rounded);
  const notes = [
    ...how,
    ...(isShorter ? [`texts over ${MAX_TEXT} characters and lists over ${MAX_ITEMS} items are cut`] : []),
  ];
  if (notes.length === 0) return { entry: { parameter, success: true, data: kept } };
  return {
    entry: { parameter, success: true, data: kept, truncated: true },
    note: `${parameter}: ${notes.join('; ')}.`,
  };
}

interface Kept {
  readonly kept: readonly AnswerRow[];
  readonly how: readonly string[];
}

function firstOf(rows: readonly AnswerRow[], characters: number): Kept {
  const kept = firstThatFit(rows, characters);
  if (kept.length === rows.length) return { kept, how: [] };
  return {
    kept,
    how: [
      `the first ${kept.length} of ${rows.length} rows are shown; get others with limit ${kept.length} and page, or ask for fewer types at once`,
    ],
  };
}

/** Returns buckets of a series at equal distances and the newest one: the shape stays, and no figure is made up. */
function everyNth(rows: readonly AnswerRow[], characters: number): Kept {
  const dates = [...new Set(rows.map(({ date }) => date))];
  const step = Math.ceil(rows.reduce((sum, row) => sum + sizeOf(row), 0) / characters);
  if (step <= 1) return { kept: rows, how: [] };
  const shown = new Set(dates.filter((_, at) => (dates.length - 1 - at) % step === 0));
  return {
    kept: rows.filter(({ date }) => shown.has(date)),
    how: [
      `${shown.size} of ${dates.length} dates are shown, one in ${step}, each with its own figures only; ask for a shorter range to get all, and never add up those shown`,
    ],
  };
}

/** As many items as have so many characters of JSON together, but one at least. */
export function firstThatFit<Item extends object>(items: readonly Item[], characters: number): readonly Item[] {
  let left = characters;
  const fits = items.findIndex((item) => (left -= sizeOf(item)) < 0);
  return fits === -1 ? items : items.slice(0, Math.max(fits, 1));
}

const sizeOf = (row: object): number => JSON.stringify(row).length;

/** To two decimals, and to four below 1, as scores of layout shifts are. */
const withRoundedFractions = (rows: readonly AnswerRow[]): readonly AnswerRow[] =>
  JSON.parse(JSON.stringify(rows), (_, value: unknown) =>
    typeof value === 'number' ? Number(value.toFixed(Math.abs(value) < 1 ? 4 : 2)) : value,
  ) as readonly AnswerRow[];

/** With cut texts and lists. */
export function shortenForModel<Value>(value: Value): Value {
  if (typeof value === 'string') return cutText(value, MAX_TEXT) as Value;
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item: unknown) => shortenForModel(item)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, shortenForModel(each as unknown)]),
  ) as Value;
}
