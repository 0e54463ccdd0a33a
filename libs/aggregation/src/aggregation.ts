/** All that others see of the library: nothing else of it is imported from outside, but by tests. */

// Plans: what is counted, as data.
export {
  aggregate,
  join,
  leftJoin,
  type CountPlan as Plan,
  type SessionSort,
  type ShareColumn as Share,
  type TextsOfPages,
} from './plan';
export { type PlanReads, planReads as readsOf, type WantedCondition } from './plan-nodes';
export type { FunnelOptions } from './funnel-attempts';
export type { NamedGoal } from './goals';
export type { JourneyOptions } from './journeys';
export { SHARE_MODELS, type ShareModel } from './link-conversions';
export { RETENTION_PERIODS, type RetentionPeriod } from './retention';

// What is counted from: sessions that filters select, and what has to be looked up for it.
export { alternativesOf, BUCKET, type LookupRow, type SelectingFilter, selectsHits, type ValueFilter } from './scope';
export {
  FACT_KEYS,
  type CompiledAlternative,
  type CompiledCondition,
  type SegmentCriterion,
  type PropertyFacts,
  REPEAT_KEYS,
  unitOfKind,
} from './compiled-condition';
export { tieKey, type TieOrder } from './timeline';
export { isSessionField } from './row-sources';
export { tableColumn as columnOf, rowsAt, type ColumnTable as Table, type AmbiguousTime as Tie } from './tables';

// What a thread runs.
export {
  type TaskInput,
  type PlanResult,
  type PlanTask,
  countTask,
  type RollupBytes,
  type RollupParts,
  WORKER,
} from './tasks';
export type { default as work } from './worker';

// Sessions as columns: slices of their table, packed days, and the parts of days that are open.
export { chunkOf, EVERY_COLUMN, keysOfSlice, type SessionSlice, SLICE_SIZE, type WantedColumns } from './session-slice';
export { encodeSessions, type PackedColumn, type SessionDayRows } from './session-day';
export {
  decodePart,
  encodePart,
  joinedChunks,
  partKeys as keysOf,
  liveRows,
  NO_KEYS,
  type OpenDay,
  type PackedPart,
  type PartColumn,
  type PartKeys,
} from './session-part';

// Rollups: what a batch changes, their bytes, compaction and comparison.
export { RollupDeltas, RollupRowsByWebsite } from './batch-deltas';
export { mergeRollupRows, type RollupRows } from './rollup-part';
export { decodeRollupPart } from './rollup-codec';
export { mergeRows, type StoredRow } from './compaction';
export { bytesWithoutExtremes, hasExtremes, rollupRetraction as retractionOf, textsInPart } from './retraction';
export {
  type RollupDifference,
  rollupDifferences,
  rollupRest,
  rowsOn,
  type UnreadablePack,
} from './rollup-differences';
