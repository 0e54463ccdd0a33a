import { ROLLUPS } from '@ledgerline/contracts/aggregates/website-aggregates';
import { type CompiledCondition, sessionsInSegment, type SegmentCriterion } from './compiled-condition';
import type { CountPlan } from './plan';
import { evaluatePlan } from './plan-nodes';
import { encodeRollupPart } from './rollup-codec';
import { layoutOf } from './rollup-part';
import { RollupRange } from './rollup-range';
import type { RollupScope, LookupRow, CountRequest, SelectedSessions, SelectingFilter } from './scope';
import { inScratch, inStep } from './scratch';
import { selectSessions } from './select-sessions';
import { decodeSessions, type PackedRows, type SessionDayRows } from './session-day';
import { sessionsOfParts, type OpenDay } from './session-part';
import { chunkOf, type SessionSlice, type WantedColumns } from './session-slice';
import { type ColumnTable, copied } from './tables';
import type { TieOrder } from './timeline';

/** The columns from which plans are counted that are asked with the same filters and range. */
export type CountingTask = SessionsTask | RollupTask;

interface Task {
  readonly plans: readonly PlanTask[];
  /** The bytes of working memory that the thread keeps for its next task; none by default. */
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
  /** The sessions that are in no part of these. */
  readonly slices: readonly SessionSlice[];
  /** The criteria of the segment that is asked for. */
  readonly deeds?: readonly SegmentCriterion[];
  /** Filters leave all sessions in. */
  readonly isEverySession?: boolean;
}

export interface RollupTask extends Task {
  readonly rollups: RollupParts;
}

/** The bytes of rollups, by name, that have numbers of some days (since 1970-01-01, both included). */
export interface RollupParts {
  readonly since: number;
  readonly until: number;
  /** The owner of the parts: it names a website in a table. */
  readonly of: string;
  /** The names of those that are counted day by day. */
  readonly byDay: ReadonlySet<string>;
  readonly packs: Readonly<Record<string, readonly RollupBytes[]>>;
}

/** A part, or what several were pre-aggregated into. */
export interface RollupBytes {
  /** The numbers of the rows that it is of, which name its content. */
  readonly numbers: readonly string[];
  readonly bytes: Uint8Array;
  /** False: these are not by day any more, but what the range counts of them ({@link preAggregate}). */
  readonly isByDay: boolean;
}

export interface PlanTask {
  readonly plan: CountPlan;
  readonly request: CountRequest;
  readonly lookup: readonly LookupRow[];
  /** The conditions that the plan reads, in their order. */
  readonly conditions?: readonly CompiledCondition[];
  /** The order of events at one time, where it had to be known. */
  readonly order?: TieOrder;
}

/** The rows of a type; or why it could not be counted. */
export type PlanResult = ColumnTable | { readonly failure: Error };

/** A task but for what each thread is given. */
export type TaskInput = Omit<SessionsTask, 'isDropped'> | Omit<RollupTask, 'isDropped'>;

/** Counts all plans of a task, in their order. A pure function; the failure of a plan is its own. */
export const countTask = (task: CountingTask): PlanResult[] =>
  inScratch(task.scratchBytes ?? 0, () => countPlans(task));

function countPlans(task: CountingTask): PlanResult[] {
  const { plans, isDropped } = task;
  if (plans.length === 0 || Atomics.load(isDropped, 0) === 1) return [];
  const rollups = 'rollups' in task ? rollupsIn(task.rollups) : undefined;
  const sessions = 'rollups' in task ? NONE : sessionsOf(task);
  return plans.map(({ plan, conditions = [], ...given }) => {
    try {
      if (Atomics.load(isDropped, 0) === 1) throw new Error('The answer is not wanted any more.');
      return inStep(() => copied(evaluatePlan(plan, { sessions, conditions, ...given, ...(rollups && { rollups }) })));
    } catch (error) {
      return { failure: error instanceof Error ? error : new Error(String(error)) };
    }
  });
}

const rollupsIn = ({ packs, since, until }: RollupParts): RollupScope => ({
  since,
  until,
  packsOf: (name) => (packs[name] ?? notRead(name)).map(({ bytes }) => bytes),
});

function sessionsOf(task: SessionsTask): SelectedSessions {
  const { wanted, rows, pieces, days = [], onKeys, slices, plans, deeds = [], isEverySession } = task;
  const open = [
    ...days.flatMap((day) => sessionsOfParts(day, onKeys)),
    ...slices.map((slice) => chunkOf(slice, wanted)),
  ];
  const [{ request }] = plans as readonly [PlanTask];
  const chunk = decodeSessions(rows, pieces, open);
  const isInSegment = deeds.length > 0 ? sessionsInSegment(chunk, request, deeds) : undefined;
  return selectSessions(chunk, request, isEverySession ? 'every' : wanted.units, isInSegment);
}

function notRead(name: string): never {
  throw new Error(`What is kept of ${name} was not read.`);
}

/** Beside rollups, so that nothing is counted as if there were no sessions. */
const NONE: SelectedSessions = {
  size: 0,
  get isCounted() {
    return notRead('sessions');
  },
  field: notRead,
  unit: notRead,
  get visitors() {
    return notRead('visitors');
  },
};

/** Parts of a rollup, and the range of days (since 1970-01-01, both included) that is asked for again and again. */
export interface PreAggregateTask {
  readonly preAggregate: {
    readonly name: string;
    readonly since: number;
    readonly until: number;
    readonly packs: readonly Uint8Array[];
  };
  readonly scratchBytes: number;
}

/** Adds up the parts over the range, without their days, in memory that threads share. A pure function. */
export function preAggregate({
  preAggregate: { name, since, until, packs },
  scratchBytes,
}: PreAggregateTask): Uint8Array {
  const count = ROLLUPS.find((each) => each.name === name);
  if (!count) throw new Error(`Nothing of the name ${name} is kept.`);
  return inScratch(scratchBytes, () => {
    const range = new RollupRange(count, { since, until, packsOf: () => packs });
    const aggregated = encodeRollupPart(layoutOf(count), range.preAggregated(since));
    const shared = new Uint8Array(new SharedArrayBuffer(aggregated.length));
    shared.set(aggregated);
    return shared;
  });
}

/** The file that worker threads run: it loads no more of the library than they need. */
export const WORKER = require.resolve('./worker');
