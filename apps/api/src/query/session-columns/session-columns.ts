import {
  alternativesOf,
  isSessionField,
  type Plan,
  readsOf,
  type SegmentCriterion,
  unitOfKind,
  type WantedColumns,
} from '@ledgerline/aggregation/aggregation';
import { PART_COLUMNS, type SessionField, type Unit } from '@ledgerline/contracts/read-models/session-days';
import type { Queryable } from '@ledgerline/platform/database/pool';
import type { QueryContext } from '../declaration/query-context';
import type { TimeRange } from '../sql/time';
import type { ColumnCache } from './column-cache';
import type { ConditionCompiler } from './compile-conditions';
import { memoryOf, type MemoryNeed } from './memory-budget';
import { listOpenSessions, readOpenSessions } from './open-days';
import { listSealedDays, readColumns } from './sealed-days';

/**
 * The plans that are counted of the sessions of a span, which is wider than the range of plans that read every session.
 */
interface CountedSessions {
  readonly plans: readonly Plan[];
  readonly context: QueryContext;
  readonly span: TimeRange;
  readonly compile: ConditionCompiler['compile'];
  /** Waits until so much memory is free, and takes it. */
  readonly hold: (need: MemoryNeed) => Promise<void>;
}

/** The columns of the sessions that plans with the same filters count. */
export async function readSessionColumns(
  on: Queryable,
  cache: ColumnCache,
  { plans, context, span, compile, hold }: CountedSessions,
) {
  const wanted = columnsFor(plans, context);
  const isEverySession = plans.some((plan) => readsOf(plan).every !== undefined);
  const isWhole = isEverySession || context.did.length > 0;
  const reading = isWhole ? { ...context, filters: [], ...span } : context;
  const deeds = context.did.map(async ({ condition, within, not = false }): Promise<SegmentCriterion> => ({
    within,
    isNegated: not,
    condition: await compile({ condition }, context),
  }));
  const sealed = await listSealedDays(on, reading);
  const open = await listOpenSessions(on, reading, sealed);
  await hold(memoryOf({ packed: sealed.sessions + open.packed, unpacked: open.unpacked }, wanted));
  const columns = [...wanted.fields, ...wanted.units];
  const ofParts = { columns: [...columns, ...PART_COLUMNS], cache };
  const sessions = await readOpenSessions(on, reading, open, wanted, ofParts);
  const pieces = await readColumns(on, reading, sealed.pieces, { columns, cache });
  return { wanted, rows: sealed.rows, pieces, ...sessions, deeds: await Promise.all(deeds), isEverySession };
}

/** The fields that every selection needs. */
const IN_EVERY_SELECTION: readonly SessionField[] = ['visitor', 'first_at', 'duration_ms', 'flags'];

function columnsFor(plans: readonly Plan[], { filters, did }: QueryContext): WantedColumns {
  const fields = new Set<SessionField>(IN_EVERY_SELECTION);
  const units = new Set<Unit>(['views']);
  for (const reads of plans.map(readsOf)) {
    for (const field of reads.fields) fields.add(field);
    for (const unit of reads.units) units.add(unit);
    for (const { condition } of reads.conditions) units.add(unitOfKind(condition.kind));
  }
  for (const { condition } of did) units.add(unitOfKind(condition.kind));
  for (const { field } of filters.flatMap(alternativesOf)) {
    if (isSessionField(field)) fields.add(field);
    if (field === 'event') units.add('custom_events');
  }
  return { fields: [...fields], units: [...units] };
}
