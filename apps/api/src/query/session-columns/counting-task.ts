import { decodeSessions, type PackedRows, type SessionDayRows } from '@ledgerline/domain/session-days/decode-sessions';
import { inScratch, inStep } from '@ledgerline/domain/session-days/scratch';
import type { PackedColumn } from '@ledgerline/domain/session-days/session-day';
import { visitsIn } from '@ledgerline/domain/sessions/page-visits';
import { chunkOf, type SessionSlice, type WantedColumns } from '@ledgerline/platform/session-days/session-chunks';
import { copied, type Table } from '@ledgerline/domain/counting/tables';
import type { LookedUp } from '@ledgerline/domain/counting/asked';
import type { SelectedSessions } from '@ledgerline/domain/counting/selected-sessions';
import { selectSessions } from '@ledgerline/domain/counting/select-sessions';
import type { Asked, Question, QueryType } from '../query-type';
import type { ColumnCache } from './column-cache';

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
  /** Of days that are not sealed. */
  readonly slices: readonly SessionSlice[];
}

export interface KeptTask extends Task {
  readonly kept: KeptPacks;
}

/** The bytes of kept counts, by name, that have numbers of some days (since 1970-01-01, both included). */
export interface KeptPacks {
  readonly since: number;
  readonly until: number;
  readonly packs: Readonly<Record<string, readonly Uint8Array[]>>;
}

export interface CountedType {
  readonly name: string;
  readonly question: Question;
  readonly lookup: readonly LookedUp[];
  /** Instead of its rows, how many there are. */
  readonly isTotal: boolean;
}

/** The rows of a type; or why it could not be counted. */
export type CountedColumns = Table | { readonly failure: Error };

/** A task but for what each thread is given. */
export type AskedTask = Omit<SessionsTask, 'isDropped'> | Omit<KeptTask, 'isDropped'>;

/** Counts tasks, and keeps what they read. */
export interface TaskCounter {
  readonly cache: ColumnCache;
  /**
   * @param until signal: aborted when the client goes away, types that are not begun are then left out · late: aborted
   * when the time is over, a thread that counts is then ended
   * @throws Error when either is
   */
  count(
    task: AskedTask,
    until: { readonly signal: AbortSignal; readonly late: AbortSignal },
  ): Promise<readonly CountedColumns[]>;
}

/** Counts all types of a task, in their order. A pure function; the failure of a type is its own. */
export const countTask = (task: CountingTask, typeNamed: TypeNamed): CountedColumns[] =>
  inScratch(task.scratchBytes ?? 0, () => countTypes(task, typeNamed));

type TypeNamed = (name: string) => Pick<QueryType, 'sessionColumns' | 'total'> | undefined;

function countTypes(task: CountingTask, typeNamed: TypeNamed): CountedColumns[] {
  const { types, isDropped } = task;
  if (types.length === 0 || Atomics.load(isDropped, 0) === 1) return [];
  const from = whatFrom(task);
  return types.map(({ name, question, lookup, isTotal }) => {
    try {
      if (Atomics.load(isDropped, 0) === 1) throw new Error('The answer is not wanted any more.');
      const counting = typeNamed(name)?.[isTotal ? 'total' : 'sessionColumns'];
      if (!counting) throw new Error(`There is no way to count ${isTotal ? 'all of ' : ''}${name}.`);
      return inStep(() => copied(counting.count({ ...from, question, lookup })));
    } catch (error) {
      return { failure: error instanceof Error ? error : new Error(String(error)) };
    }
  });
}

function whatFrom(task: CountingTask): Pick<Asked, 'sessions' | 'kept'> {
  if ('kept' in task) {
    const { packs, ...days } = task.kept;
    return { sessions: NONE, kept: { ...days, packsOf: (name) => packs[name] ?? notRead(name) } };
  }
  const { wanted, rows, pieces, slices, types } = task;
  const open = slices.map((slice) => chunkOf(slice, wanted, visitsIn));
  const [{ question }] = types as readonly [CountedType];
  return { sessions: selectSessions(decodeSessions(rows, pieces, open), question, wanted.units) };
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
