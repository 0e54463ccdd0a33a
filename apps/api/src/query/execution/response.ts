import { Problem, RebuildingProblem, type ErrorCode } from '@ledgerline/contracts/errors/error-codes';
import { firstDayOf, type TimeBucket } from '@ledgerline/domain/query/buckets';
import type { EarlierRange } from '@ledgerline/domain/query/comparison';
import type { AnswerRow } from '@ledgerline/domain/query/rows';
import { addDays } from '@ledgerline/domain/time/zones';
import { emptyRow, minSamplesOf, numberCell, type SqlRow } from '../declaration/fields';
import type { QueryRows, QueryType } from '../declaration/query-type';
import type { QueryParameter, QueryRequest } from '../request/read-requests';
import type { Snapshot } from '../snapshot/snapshot';

/** The rows of one parameter, as they are answered; of one that failed, why. */
export interface ParameterResult extends QueryRows {
  /** The number of rows, or in a series the estimates of how many, its minimum leaves out. */
  readonly hidden?: number;
  readonly failure?: Problem;
}

export interface AnsweredRequest {
  readonly request: QueryRequest;
  /** In the order of its parameters. */
  readonly results: readonly ParameterResult[];
  readonly meta: ReturnType<typeof metaOf>;
}

export type QueryResponse = RequestAnswer | BatchAnswer;

interface BatchAnswer {
  readonly success: true;
  readonly batch: true;
  readonly results: readonly Omit<RequestAnswer, 'success'>[];
}

/** An answer as callers see it. */
export interface RequestAnswer {
  readonly success: true;
  readonly queryId: string;
  readonly data: readonly ParameterEntry[];
  readonly meta: AnsweredRequest['meta'];
}

export type ParameterEntry = { readonly parameter: string; readonly id?: string } & (
  | { readonly success: true; readonly data: readonly AnswerRow[] }
  | ({ readonly success: false; readonly error: string; readonly data: readonly [] } & Progress)
);

interface Progress {
  /** While tables are being rebuilt. */
  readonly code?: ErrorCode;
  /** The part of them that is filled, from 0 to 1. */
  readonly progress?: number;
}

/** The response to a body: one request, or a batch. */
export function responseTo(body: unknown, answers: readonly AnsweredRequest[]): QueryResponse {
  const [only] = answers;
  if (!Array.isArray(body) && only) return requestAnswer(only);
  const results = answers.map(requestAnswer).map(({ queryId, data, meta }) => ({ queryId, data, meta }));
  return { success: true, batch: true, results };
}

export const requestAnswer = ({ request, results, meta }: AnsweredRequest): RequestAnswer => ({
  success: true,
  queryId: request.id,
  data: request.parameters.flatMap((parameter, at) => (results[at] ? entryOf(parameter, results[at]) : [])),
  meta,
});

function entryOf({ type, id }: QueryParameter, { rows, failure }: ParameterResult): ParameterEntry {
  const named = { parameter: type.name, ...(id === undefined ? {} : { id }) };
  if (failure) return { ...named, success: false, error: failure.message, ...codeOf(failure), data: [] };
  return { ...named, success: true, data: rows };
}

/** Returns what programs can act upon: come back later, or ask for less. */
function codeOf(problem: Problem): Progress {
  if (problem instanceof RebuildingProblem) return { code: problem.code, progress: problem.progress };
  return problem.code === 'TOO_LARGE' ? { code: problem.code } : {};
}

/** Tells how the answer was computed. */
export const metaOf = (
  request: QueryRequest,
  snapshot: Snapshot,
  notes: readonly string[],
  results: readonly ParameterResult[],
) => ({
  parameters: request.parameters.map(({ type }) => type.name),
  total_parameters: request.parameters.length,
  page: request.page,
  limit: request.limit,
  filters_applied: appliedFilters(request, results),
  startDate: request.startDate,
  endDate: request.endDate,
  timezone: request.zone,
  granularity: request.granularity,
  visitorIdentity: request.target.visitorIdentity,
  ...timesOf(request, snapshot),
  ...(snapshot.moment ? { snapshot: snapshot.moment.name } : {}),
  notes: [
    ...momentNotes(snapshot),
    ...stopNotes(request, snapshot),
    ...parkedNotes(request, snapshot),
    ...(snapshot.hasSpooledClicks ? [SPOOLED] : []),
    ...request.notes,
    ...bucketNotes(request, snapshot),
    ...comparisonNotes(request),
    ...minimumNotes(request, results),
    ...notesOfRows(request, results),
    ...notes,
  ],
  totals: numbersOf(request, results, ({ total }) => total),
  hidden: numbersOf(request, results, ({ hidden }) => hidden || undefined),
  ...comparisonOf(request),
});

/** A parameter that does not have a filter fails, so whatever succeeded has applied all of them. */
const appliedFilters = ({ filters, segment }: QueryRequest, results: readonly ParameterResult[]): number =>
  results.some(({ failure }) => !failure) ? filters.length + (segment ? 1 : 0) : 0;

/** Up to when everything that arrived is in the answer; a filtered share does not say when others than it shows came. */
export const timesOf = (
  { target }: Pick<QueryRequest, 'target'>,
  { included, newestEventAt }: Pick<Snapshot, 'included' | 'newestEventAt'>,
) => ({
  asOf: new Date(included.asOf).toISOString(),
  ...(newestEventAt === undefined || target.filters?.length
    ? {}
    : { newestEventAt: newestEventAt?.toISOString() ?? null }),
  lagMs: included.lagMs,
});

const momentNotes = ({ moment }: Snapshot): readonly string[] =>
  moment
    ? [
        `The snapshot "${moment.name}" has what had arrived by ${new Date(moment.until).toISOString()}, without visitors erased since; definitions are today's.`,
      ]
    : [];

const SPOOLED = 'Clicks wait on the disk of a tracker until the log takes them; they are not in these answers.';

const stopNotes = ({ target }: QueryRequest, { stoppedSince }: Snapshot): readonly string[] =>
  stoppedSince === null
    ? []
    : [
        `The projection of this ${target.tag ? 'tag' : target.about}'s events is stopped since ${stoppedSince}; newer events are missing.`,
      ];

function parkedNotes({ target }: QueryRequest, { parked }: Snapshot): readonly string[] {
  if (parked === 0) return [];
  const events = parked === 1 ? '1 event' : `${parked} events`;
  const are = parked === 1 ? 'is' : 'are';
  return [
    `These answers are not exact: ${events} of this ${target.tag ? 'tag' : target.about} could not be counted yet and ${are} missing.`,
  ];
}

/** The earlier range of the first type that is compared. */
function comparisonOf({ parameters }: QueryRequest): { readonly compare?: ReturnType<typeof describeRange> } {
  const earlier = parameters.find((parameter) => parameter.earlier)?.earlier;
  return earlier ? { compare: describeRange(earlier) } : {};
}

const describeRange = ({ from, to, ...range }: EarlierRange) => ({
  ...range,
  ...(from === undefined ? {} : { since: new Date(from).toISOString() }),
  until: new Date(to).toISOString(),
});

/** Types that override the request may be compared with another range. */
function comparisonNotes({ parameters }: QueryRequest): readonly string[] {
  const compared = parameters.flatMap(({ type, earlier }, at) =>
    earlier ? [{ type, at, ...describeRange(earlier) }] : [],
  );
  const [first] = compared;
  return compared
    .filter(({ startDate, until }) => startDate !== first?.startDate || until !== first.until)
    .map(
      ({ type, at, startDate, endDate, until }) =>
        `parameters[${at}] (${type.name}): It is compared with ${startDate} to ${endDate}, until ${until}.`,
    );
}

/**
 * Returns notes on the buckets of series that are on the first page, each once: the last ones that are not over, and
 * parts of weeks and months.
 */
function bucketNotes({ parameters, page, zone }: QueryRequest, { buckets, now }: Snapshot): readonly string[] {
  if (page > 1) return [];
  const series = parameters.filter(({ type }) => type.shape === 'series');
  const notes = series.flatMap(({ granularity, ...days }) => {
    const all = buckets(days, zone, granularity);
    const first = all[0];
    const last = all.at(-1);
    if (!first || !last) return [];
    if (days.from !== undefined && granularity !== 'hourly') return [PART_OF_DAYS];
    if (granularity === 'hourly') return runningNote(last, now);
    const afterLast = addDays(days.endDate, 1);
    return [
      ...(first.label < days.startDate ? [partNote('first', first)] : []),
      ...(last.to <= now && firstDayOf(afterLast, granularity) === last.label ? [partNote('last', last)] : []),
      ...runningNote(last, now),
    ];
  });
  return [...new Set(notes)];
}

const partNote = (nth: string, { label }: TimeBucket): string =>
  `The ${nth} row of a series, ${label}, shows the days of it that are in the range.`;

const PART_OF_DAYS = 'Rows of a series show the hours of their days that are in the range.';

const runningNote = ({ label, to }: TimeBucket, now: number): readonly string[] =>
  to > now ? [`The last row of a series, ${label}, is not over: it shows what happened so far.`] : [];

/** Returns what a minimum leaves out, and how to see it. */
const minimumNotes = ({ parameters }: QueryRequest, results: readonly ParameterResult[]): readonly string[] =>
  results.flatMap(({ hidden = 0 }, at) => {
    const { type, minSamples } = parameters[at] ?? {};
    const minimum = type && minSamplesOf(type);
    if (!minimum || hidden === 0) return [];
    const { of, byDefault } = minimum;
    const few = `${hidden === 1 ? '1 row' : `${hidden} rows`} with fewer than ${minSamples ?? byDefault} ${of}`;
    const [is, has] = hidden === 1 ? ['is', 'has'] : ['are', 'have'];
    const what = type.shape === 'series' ? `${has} no percentiles` : `${is} left out`;
    return [`parameters[${at}] (${type.name}): ${few} ${what}; a lower minSamples shows more.`];
  });

const notesOfRows = ({ parameters }: QueryRequest, results: readonly ParameterResult[]): readonly string[] =>
  results.flatMap(({ notes = [] }, at) =>
    notes.map((note) => `parameters[${at}] (${parameters[at]?.type.name}): ${note}`),
  );

/** A number of each result that has it by query type, the first where several are the same, and by the id that a parameter was given. */
function numbersOf(
  { parameters }: QueryRequest,
  results: readonly ParameterResult[],
  numberOf: (result: ParameterResult) => number | undefined,
): Readonly<Record<string, number>> {
  const found = parameters.flatMap(({ type, id }, at) => {
    const number = results[at] && numberOf(results[at]);
    return number === undefined ? [] : [{ name: type.name, id, number }];
  });
  const byId = found.flatMap(({ id, number }) => (id === undefined ? [] : [[id, number] as const]));
  const byName = found.map(({ name, number }) => [name, number] as const).reverse();
  return Object.fromEntries([...byId, ...byName]);
}

/** A row for each bucket, or of each bucket for each value that the series is split by. */
export function seriesOf(
  { fields, row }: QueryType,
  buckets: readonly TimeBucket[],
  found: readonly SqlRow[],
): AnswerRow[] {
  const splitBy = Object.values(fields).find((field) => field.splitBy !== undefined)?.splitBy;
  const partOf = (of: SqlRow) => (splitBy === undefined ? 0 : numberCell(of, splitBy));
  const rows = new Map(found.map((of) => [`${numberCell(of, 'bucket')} ${partOf(of)}`, of]));
  const parts = [...new Set(found.map(partOf))].sort((a, b) => a - b);
  const empties = parts.map((part) => emptyRow(splitBy === undefined ? {} : { [splitBy]: part }));
  return buckets.flatMap(({ label: date }, at) =>
    (parts.length === 0 ? [0] : parts).map((part, place) =>
      row({ ...(rows.get(`${at + 1} ${part}`) ?? empties[place] ?? emptyRow()), date }),
    ),
  );
}
