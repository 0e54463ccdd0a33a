import { Problem, type ErrorCode } from '@ledgerline/contracts/errors/error-codes';
import { firstDayOf, type Bucket } from '@ledgerline/domain/query/buckets';
import type { EarlierRange } from '@ledgerline/domain/query/comparison';
import type { Row } from '@ledgerline/domain/query/rows';
import { addDays } from '@ledgerline/domain/time/zones';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import type { QueryRequest } from '../request/read-requests';
import type { Snapshot } from '../snapshot';

export type QueryResponse = RequestAnswer | BatchAnswer;

interface BatchAnswer {
  readonly success: true;
  readonly batch: true;
  readonly results: readonly Omit<RequestAnswer, 'success'>[];
}

export interface RequestAnswer {
  readonly success: true;
  readonly queryId: string;
  readonly data: readonly ParameterResult[];
  readonly meta: ReturnType<typeof metaOf>;
}

/** Why an entry failed. JSON leaves symbols out, so that answers have only the message. */
export const PROBLEM = Symbol('problem');

/** How many rows a list has in all. */
export const TOTAL = Symbol('total');

/** How many rows its minimum leaves out. */
export const HIDDEN = Symbol('hidden');

/** Whether all rows were wanted, and there are more. */
export const CUT = Symbol('cut');

/** The first day and the last one. */
export const DAYS = Symbol('days');

/** What has to be said about the rows. */
export const NOTES = Symbol('notes');

/** The answer to one parameter. */
export type ParameterResult =
  | {
      readonly parameter: string;
      readonly id?: string;
      readonly success: true;
      readonly data: readonly Row[];
      readonly [TOTAL]?: number;
      readonly [HIDDEN]?: number;
      readonly [CUT]?: boolean;
      readonly [DAYS]?: readonly string[];
      readonly [NOTES]?: readonly string[];
    }
  | {
      readonly parameter: string;
      readonly id?: string;
      readonly success: false;
      readonly error: string;
      /** While tables are being rebuilt. */
      readonly code?: ErrorCode;
      /** How much of them is filled, from 0 to 1. */
      readonly progress?: number;
      readonly [PROBLEM]: Problem;
      readonly data: readonly [];
    };

/** How the answer was computed. */
export const metaOf = (
  request: QueryRequest,
  snapshot: Snapshot,
  filtersApplied: number,
  notes: readonly string[],
  entries: readonly ParameterResult[],
) => ({
  parameters: request.parameters.map(({ type }) => type.name),
  total_parameters: request.parameters.length,
  page: request.page,
  limit: request.limit,
  filters_applied: filtersApplied,
  startDate: request.startDate,
  endDate: request.endDate,
  timezone: request.zone,
  granularity: request.granularity,
  visitorIdentity: request.subject.visitorIdentity,
  ...timesOf(request, snapshot),
  notes: [
    ...stopNotes(request, snapshot),
    ...parkedNotes(request, snapshot),
    ...(snapshot.hasSpooledClicks ? [SPOOLED] : []),
    ...request.notes,
    ...bucketNotes(request, snapshot),
    ...comparisonNotes(request),
    ...minimumNotes(request, entries),
    ...notesOfRows(request, entries),
    ...notes,
  ],
  totals: numbersOf(entries, (entry) => entry[TOTAL]),
  hidden: numbersOf(entries, (entry) => entry[HIDDEN] || undefined),
  ...comparisonOf(request),
});

/** Up to when everything that arrived is in the answer; a filtered share does not say when others than it shows came. */
export const timesOf = (
  { subject }: Pick<QueryRequest, 'subject'>,
  { included, newestEventAt }: Pick<Snapshot, 'included' | 'newestEventAt'>,
) => ({
  asOf: new Date(included.asOf).toISOString(),
  ...(newestEventAt === undefined || subject.filters?.length
    ? {}
    : { newestEventAt: newestEventAt?.toISOString() ?? null }),
  lagMs: included.lagMs,
});

const SPOOLED = 'Clicks wait on the disk of a tracker until the log takes them; they are not in these answers.';

const stopNotes = ({ subject }: QueryRequest, { stoppedSince }: Snapshot): readonly string[] =>
  stoppedSince === null
    ? []
    : [`The projection of this ${subject.about}'s events is stopped since ${stoppedSince}; newer events are missing.`];

function parkedNotes({ subject }: QueryRequest, { parked }: Snapshot): readonly string[] {
  if (parked === 0) return [];
  const events = parked === 1 ? '1 event' : `${parked} events`;
  const are = parked === 1 ? 'is' : 'are';
  return [
    `These answers are not exact: ${events} of this ${subject.about} could not be counted yet and ${are} missing.`,
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

/** Of the buckets of series that are on the first page, each once: the last ones that are not over, and parts of weeks and months. */
function bucketNotes({ parameters, page, zone }: QueryRequest, { buckets, now }: Snapshot): readonly string[] {
  if (page > 1) return [];
  const notes = parameters.flatMap(({ type, granularity, ...days }) => {
    const all = type.shape === 'series' ? buckets(days, zone, granularity) : [];
    if (days.from !== undefined && all.length > 0 && granularity !== 'hourly') return [PART_OF_DAYS];
    const [first, last] = [all[0], all.at(-1)];
    if (!first || !last) return [];
    const ofPart = (nth: string, { label }: Bucket) =>
      `The ${nth} row of a series, ${label}, shows the days of it that are in the range.`;
    if (granularity === 'hourly') return runningNote(last, now);
    const afterLast = addDays(days.endDate, 1);
    return [
      ...(first.label < days.startDate ? [ofPart('first', first)] : []),
      ...(last.to <= now && firstDayOf(afterLast, granularity) === last.label ? [ofPart('last', last)] : []),
      ...runningNote(last, now),
    ];
  });
  return [...new Set(notes)];
}

const PART_OF_DAYS = 'Rows of a series show the hours of their days that are in the range.';

const runningNote = ({ label, to }: Bucket, now: number): readonly string[] =>
  to > now ? [`The last row of a series, ${label}, is not over: it shows what happened so far.`] : [];

/** What a minimum leaves out, and how to see it. */
const minimumNotes = ({ parameters }: QueryRequest, entries: readonly ParameterResult[]): readonly string[] =>
  entries.flatMap((entry, at) => {
    const { type, minSamples } = parameters[at] ?? {};
    const hidden = entry.success ? (entry[HIDDEN] ?? 0) : 0;
    if (!type?.minimum || hidden === 0) return [];
    const { of, byDefault } = type.minimum;
    const few = `${hidden === 1 ? '1 row' : `${hidden} rows`} with fewer than ${minSamples ?? byDefault} ${of}`;
    const [is, has] = hidden === 1 ? ['is', 'has'] : ['are', 'have'];
    const what = type.shape === 'series' ? `${has} no percentiles` : `${is} left out`;
    return [`parameters[${at}] (${type.name}): ${few} ${what}; a lower minSamples shows more.`];
  });

const notesOfRows = ({ parameters }: QueryRequest, entries: readonly ParameterResult[]): readonly string[] =>
  entries.flatMap((entry, at) =>
    (entry.success ? (entry[NOTES] ?? []) : []).map(
      (note) => `parameters[${at}] (${parameters[at]?.type.name}): ${note}`,
    ),
  );

type Answered = Extract<ParameterResult, { readonly success: true }>;

/** A number of each entry that has it by parameter, the first where several are the same, and by the id that one was given. */
function numbersOf(
  entries: readonly ParameterResult[],
  numberOf: (entry: Answered) => number | undefined,
): Readonly<Record<string, number>> {
  const found = entries.flatMap((entry) => {
    const number = entry.success ? numberOf(entry) : undefined;
    return number === undefined ? [] : [{ ...entry, number }];
  });
  const byId = found.flatMap(({ id, number }) => (id === undefined ? [] : [[id, number] as const]));
  const byName = found.map(({ parameter, number }) => [parameter, number] as const).reverse();
  return Object.fromEntries([...byId, ...byName]);
}

const MIB = 1024 * 1024;

/** How large the rows of all entries of a body may be together. */
export const MAX_ANSWER_MIB = 32;

const TOO_LARGE =
  `With these rows the response would exceed ${MAX_ANSWER_MIB} MiB; ` +
  'ask with a smaller limit, or for fewer types or requests at once.';

const ROWS_AT_ONCE = 500;

/** What the rows of a body's entries may add up to, by their approximate size as JSON. */
export class ResponseSizeLimit {
  constructor(private left = MAX_ANSWER_MIB * MIB) {}

  /** How many bytes may still be taken. */
  get rest(): number {
    return this.left;
  }

  /** Takes so many bytes if they are left. */
  takeBytes(bytes: number): boolean {
    if (bytes > this.left) return false;
    this.left -= bytes;
    return true;
  }

  /** Takes the size of an entry's rows. @throws Problem VALIDATION_ERROR when they exceed what is left, which stays */
  async take(rows: readonly object[]): Promise<void> {
    const { left, fitting } = await this.leftAfter(rows);
    if (fitting < rows.length) throw tooLarge();
    this.left = left;
  }

  /** The first rows, as many as fit; takes their size. */
  async fit<R extends object>(rows: readonly R[]): Promise<readonly R[]> {
    const { left, fitting } = await this.leftAfter(rows);
    this.left = left;
    return rows.slice(0, fitting);
  }

  private async leftAfter(rows: readonly object[]): Promise<{ readonly left: number; readonly fitting: number }> {
    const pause = yieldToEventLoop();
    let left = this.left;
    for (const [place, row] of rows.entries()) {
      const size = sizeOf(row);
      if (size > left) return { left, fitting: place };
      left -= size;
      if (place % ROWS_AT_ONCE === 0) await pause();
    }
    return { left, fitting: rows.length };
  }
}

const tooLarge = (): Problem => new Problem('VALIDATION_ERROR', TOO_LARGE);

/** The approximate length as JSON: texts count as many bytes as they have characters. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value !== 'object' || value === null) return 8;
  if (value instanceof Date) return 27;
  let size = 2;
  if (Array.isArray(value)) for (const part of value) size += sizeOf(part);
  else for (const name in value) size += name.length + 3 + sizeOf(value[name as keyof typeof value]);
  return size;
}
