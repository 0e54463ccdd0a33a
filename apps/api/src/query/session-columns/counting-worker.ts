import type { KeptDays, LookedUp, SelectedSessions, SelectingFilter } from '@ledgerline/domain/counting/asked';
import { sessionsOfParts, type OpenDay } from '@ledgerline/domain/counting/open-days';
import { KeptRange, encodePack } from '@ledgerline/domain/counting/kept-range';
import { layoutOf } from '@ledgerline/domain/counting/kept-pack';
import { selectSessions } from '@ledgerline/domain/counting/select-sessions';
import { type Table, copied } from '@ledgerline/domain/counting/tables';
import { ROLLUPS } from '@ledgerline/contracts/aggregates/website-aggregates';
import {
  decodeSessions,
  type PackedColumn,
  type PackedRows,
  type SessionDayRows,
} from '@ledgerline/domain/session-days/session-day';
import { inScratch, inStep } from '@ledgerline/domain/session-days/scratch';
import { visitsIn } from '@ledgerline/domain/sessions/local-session';
import { chunkOf, type SessionSlice, type WantedColumns } from '@ledgerline/platform/session-days/session-chunks';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import type { FoundCondition } from '@ledgerline/domain/goals/found-condition';
import { sessionsInSegment, type FoundDeed } from '@ledgerline/domain/goals/segment';
import type { TieOrder } from '@ledgerline/domain/goals/timeline';
import type { QueryType, SessionCounting } from '../declaration/query-type';
import { queryTypeNamed } from '../types/catalogue';
import type { Question } from '../declaration/query-context';

/** What some types are counted from that are asked with the same filters and range. */
export type CountingTask = SessionsTask | KeptTask;

interface Task {
  readonly types: readonly CountedType[];
  /** Of working memory that the thread keeps for its next task; none by default. */
  readonly scratchBytes?: number;
  /** A shared word: 1 = the answer is not wanted any more. */
  readonly isDropped: Int32Array;
}

export interface SessionsTask extends Task {
  readonly wanted: WantedColumns;
  readonly rows: SessionDayRows;
  readonly pieces: readonly PackedRows[];
  /** The parts of days that are not sealed. */
  readonly days?: readonly OpenDay[];
  /** On the country and the device: what does not pass them is not decoded of parts. */
  readonly onKeys?: readonly SelectingFilter[];
  /** What is in no part of these. */
  readonly slices: readonly SessionSlice[];
  /** What sessions of the segment that is asked for did. */
  readonly deeds?: readonly FoundDeed[];
  /** Filters leave all sessions in. */
  readonly isEverySession?: boolean;
}

export interface KeptTask extends Task {
  readonly kept: KeptPacks;
}

/** The bytes of kept counts, by name, that have numbers of some days (since 1970-01-01, both included). */
export interface KeptPacks {
  readonly since: number;
  readonly until: number;
  /** Whose they are: it names a website in a table. */
  readonly of: string;
  /** The names of those that are counted day by day. */
  readonly byDay: ReadonlySet<string>;
  readonly packs: Readonly<Record<string, readonly KeptBytes[]>>;
}

/** A pack, or what several were collapsed into. */
export interface KeptBytes {
  /** Of the rows that it is of, which name its content. */
  readonly numbers: readonly string[];
  readonly bytes: Uint8Array;
  /** False: these are not by day any more, but what the range counts of them ({@link collapsePacks}). */
  readonly isByDay: boolean;
}

export interface CountedType {
  readonly name: string;
  readonly question: Question;
  readonly lookup: readonly LookedUp[];
  /** Instead of its rows, how many there are. */
  readonly isTotal: boolean;
  readonly conditions?: readonly FoundCondition[];
  /** The order of events at one time, where it had to be known. */
  readonly order?: TieOrder;
}

/** The rows of a type; or why it could not be counted. */
export type CountedColumns = Table | { readonly failure: Error };

/** A task but for what each thread is given. */
export type AskedTask = Omit<SessionsTask, 'isDropped'> | Omit<KeptTask, 'isDropped'>;

/** How a type is counted, or how many rows it has. */
export const countingOf = (type: QueryType | undefined, isTotal: boolean): SessionCounting | undefined =>
  isTotal ? type?.sources.singles?.total : type?.sessionColumns;

/** Counts all types of a task, in their order. A pure function; the failure of a type is its own. */
export const countTask = (task: CountingTask): CountedColumns[] =>
  inScratch(task.scratchBytes ?? 0, () => countTypes(task));

function countTypes(task: CountingTask): CountedColumns[] {
  const { types, isDropped } = task;
  if (types.length === 0 || Atomics.load(isDropped, 0) === 1) return [];
  const kept = 'kept' in task ? keptIn(task.kept) : undefined;
  const sessions = 'kept' in task ? NONE : sessionsOf(task);
  return types.map(({ name, question, isTotal, ...given }) => {
    try {
      if (Atomics.load(isDropped, 0) === 1) throw new Error('The answer is not wanted any more.');
      const counting = countingOf(queryTypeNamed(name), isTotal);
      if (!counting) throw new Error(`There is no way to count ${isTotal ? 'all of ' : ''}${name}.`);
      return inStep(() => copied(counting.count({ sessions, question, ...given, ...(kept && { kept }) })));
    } catch (error) {
      return { failure: error instanceof Error ? error : new Error(String(error)) };
    }
  });
}

const keptIn = ({ packs, since, until }: KeptPacks): KeptDays => ({
  since,
  until,
  packsOf: (name) => (packs[name] ?? notRead(name)).map(({ bytes }) => bytes),
});

function sessionsOf(task: SessionsTask): SelectedSessions {
  const { wanted, rows, pieces, days = [], onKeys, slices, types, deeds = [], isEverySession } = task;
  const open = [
    ...days.flatMap((day) => sessionsOfParts(day, onKeys)),
    ...slices.map((slice) => chunkOf(slice, wanted, visitsIn)),
  ];
  const [{ question }] = types as readonly [CountedType];
  const chunk = decodeSessions(rows, pieces, open);
  const isInSegment = deeds.length > 0 ? sessionsInSegment(chunk, question, deeds) : undefined;
  return selectSessions(chunk, question, isEverySession ? 'every' : wanted.units, isInSegment);
}

function notRead(name: string): never {
  throw new Error(`What is kept of ${name} was not read.`);
}

/** Beside kept counts, so that nothing is counted as if there were no sessions. */
const NONE: SelectedSessions = {
  size: 0,
  get isCounted() {
    return notRead('sessions');
  },
  field: notRead,
  unit: notRead,
  byVisitor: () => notRead('visitors'),
};

/** The columns of sealed days that have these; country and device are keys of them. */
export const packedColumns = ({ fields, units }: WantedColumns): readonly PackedColumn[] => [
  ...fields.filter((name) => name !== 'country' && name !== 'device_type'),
  ...units,
];

/** Packs of a kept count, and the range of days (since 1970-01-01, both included) that is asked for again and again. */
export interface CollapseTask {
  readonly collapse: {
    readonly name: string;
    readonly since: number;
    readonly until: number;
    readonly packs: readonly Uint8Array[];
  };
  readonly scratchBytes: number;
}

/** Smaller packs are counted sooner than what the range counts of them is kept. */
export const LEAST_TO_COLLAPSE = 16_384;

/** Beside the key of a pack: the name of what a range counts of it. */
export const collapsedName = (
  name: string,
  { since, until }: { readonly since: number; readonly until: number },
): string => `${name} ${since} ${until}`;

/** Beside the website: which packs a range counts as one. */
export const collapsedNumbers = (name: string, range: Parameters<typeof collapsedName>[1]): string =>
  `${collapsedName(name, range)} of`;

/** In memory, with the name of a count. */
export const keyOfPacks = (of: string, numbers: readonly string[]): string => `${of} ${numbers.join(' ')}`;

/** What the range counts of the packs, without their days, in memory that threads share. A pure function. */
export function collapsePacks({ collapse: { name, since, until, packs }, scratchBytes }: CollapseTask): Uint8Array {
  const count = ROLLUPS.find((each) => each.name === name);
  if (!count) throw new Error(`Nothing of the name ${name} is kept.`);
  return inScratch(scratchBytes, () => {
    const range = new KeptRange(count, { since, until, packsOf: () => packs });
    const collapsed = encodePack(layoutOf(count), range.collapsed(since));
    const shared = new Uint8Array(new SharedArrayBuffer(collapsed.length));
    shared.set(collapsed);
    return shared;
  });
}

/** What a worker thread runs: it hands the columns over to the api's thread without a copy. */
export default function work(task: CountingTask | CollapseTask): unknown {
  if ('collapse' in task) return collapsePacks(task);
  const counted = countTask(task);
  const buffers = counted.flatMap((each) =>
    'failure' in each ? [] : Object.values(each.columns).map(({ buffer }) => buffer),
  );
  return move({ [transferableSymbol]: buffers, [valueSymbol]: counted });
}
