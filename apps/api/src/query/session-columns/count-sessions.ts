import { decodeSessions, type PackedRows, type SessionDayRows } from '@ledgerline/domain/session-days/decode-sessions';
import { inScratch, inStep } from '@ledgerline/domain/session-days/scratch';
import type { PackedColumn } from '@ledgerline/domain/session-days/session-day';
import { visitsIn } from '@ledgerline/domain/sessions/page-visits';
import { chunkOf, type SessionSlice, type WantedColumns } from '@ledgerline/platform/session-days/session-chunks';
import { copied, type Table } from '@ledgerline/domain/counting/tables';
import type { LookedUp } from '@ledgerline/domain/counting/asked';
import type { Question, QueryType } from '../query-type';
import type { ColumnCache } from './read-columns';
import { selectSessions } from '@ledgerline/domain/counting/select-sessions';

/** What some types are counted from that are asked with the same filters and range. */
export interface CountingTask {
  readonly wanted: WantedColumns;
  readonly rows: SessionDayRows;
  readonly pieces: readonly PackedRows[];
  /** Of days that are not sealed. */
  readonly slices: readonly SessionSlice[];
  readonly types: readonly CountedType[];
  /** Of working memory that the thread keeps for its next task; none by default. */
  readonly scratchBytes?: number;
  /** A shared word: 1 = the answer is not wanted any more. */
  readonly isDropped: Int32Array;
}

export interface CountedType {
  readonly name: string;
  readonly question: Question;
  readonly lookup: readonly LookedUp[];
}

/** The rows of a type; or why it could not be counted. */
export type CountedColumns = Table | { readonly failure: Error };

/** Counts tasks in threads, and keeps what they read. */
export interface TaskCounter {
  readonly cache: ColumnCache;
  /**
   * @param until signal: aborted when the client goes away, types that are not begun are then left out · late: aborted
   * when the time is over, a thread that counts is then ended
   * @throws Error when either is
   */
  count(
    task: Omit<CountingTask, 'isDropped'>,
    until: { readonly signal: AbortSignal; readonly late: AbortSignal },
  ): Promise<readonly CountedColumns[]>;
}

/** Counts all types of a task, in their order. A pure function; the failure of a type is its own. */
export const countSessions = (task: CountingTask, typeNamed: TypeNamed): CountedColumns[] =>
  inScratch(task.scratchBytes ?? 0, () => countTypes(task, typeNamed));

type TypeNamed = (name: string) => Pick<QueryType, 'sessionColumns'> | undefined;

function countTypes(
  { wanted, rows, pieces, slices, types, isDropped }: CountingTask,
  typeNamed: TypeNamed,
): CountedColumns[] {
  const [first] = types;
  if (!first || Atomics.load(isDropped, 0) === 1) return [];
  const open = slices.map((slice) => chunkOf(slice, wanted, visitsIn));
  const sessions = selectSessions(decodeSessions(rows, pieces, open), first.question, wanted.units);
  return types.map(({ name, question, lookup }) => {
    try {
      if (Atomics.load(isDropped, 0) === 1) throw new Error('The answer is not wanted any more.');
      const counting = typeNamed(name)?.sessionColumns;
      if (!counting) throw new Error(`There is no way to count ${name} from columns.`);
      return inStep(() => copied(counting.count({ sessions, question, lookup })));
    } catch (error) {
      return { failure: error instanceof Error ? error : new Error(String(error)) };
    }
  });
}

/** The columns of sealed days that have these; country and device are keys of them. */
export const packedColumns = ({ fields, units }: WantedColumns): readonly PackedColumn[] => [
  ...fields.filter((name) => name !== 'country' && name !== 'device_type'),
  ...units,
];
