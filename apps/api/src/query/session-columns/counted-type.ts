import type { SessionField, Unit } from '@ledgerline/contracts/read-models/session-days';
import {
  alternativesOf,
  isSessionField,
  type Plan,
  type CountRequest,
  readsOf,
  unitOfKind,
  type WantedColumns,
} from '@ledgerline/aggregation/aggregation';
import { stretchesOf } from '@ledgerline/domain/query/buckets';
import { dayNumber } from '@ledgerline/domain/time/zones';
import type { QueryContext } from '../declaration/query-context';
import type { QueryType } from '../declaration/query-type';
import { ALWAYS, type Span } from '../sql/time';

/** What is counted for a type of a request. */
export interface AskedCount {
  readonly type: QueryType;
  readonly context: QueryContext;
  readonly from: 'keptCounts' | 'sessionColumns';
  /** Instead of its rows, how many there are. */
  readonly isTotal: boolean;
}

/** @throws Error for a type that is not counted */
export function planOf(asked: AskedCount): Plan {
  const { type, isTotal, context } = asked;
  const declared = isTotal ? type.sources.singles?.total : type.sessionColumns?.plan;
  if (!declared) throw new Error(`There is no way to count ${isTotal ? 'all of ' : ''}${type.name}.`);
  const plan = plans.get(asked) ?? (typeof declared === 'function' ? declared(context) : declared);
  plans.set(asked, plan);
  return plan;
}

const plans = new WeakMap<AskedCount, Plan>();

export const readsEverySession = (asked: AskedCount): boolean => readsOf(planOf(asked)).every !== undefined;

/** What is counted at once. */
export const rangeOf = (asked: AskedCount): string => {
  const { from, to } = spanOf(asked);
  return [asked.from, readsEverySession(asked), from, to, asked.context.from, asked.context.to].join(' ');
};

/** The types of a request have the same filters, but perhaps other ranges and pages. */
export const keyOf = ({ type, context, from: source, isTotal }: AskedCount): string => {
  const { from, to, page, sort, granularity, isLimited, minSamples, options } = context;
  const asked = [from, to, page, sort, granularity, isLimited, minSamples, options];
  return JSON.stringify([type.name, source, isTotal, ...asked]);
};

/** What every selection needs. */
const IN_EVERY_SELECTION: readonly SessionField[] = ['visitor', 'first_at', 'duration_ms', 'flags'];

export function wantedBy(asked: readonly AskedCount[]): WantedColumns {
  const fields = new Set<SessionField>([...IN_EVERY_SELECTION, 'country', 'device_type']);
  const units = new Set<Unit>(['views']);
  for (const each of asked) {
    const reads = readsOf(planOf(each));
    for (const field of reads.fields) fields.add(field);
    for (const unit of reads.units) units.add(unit);
    for (const { condition } of [...reads.conditions, ...each.context.did]) units.add(unitOfKind(condition.kind));
    for (const { field } of each.context.filters.flatMap(alternativesOf)) {
      if (isSessionField(field)) fields.add(field);
      if (field === 'event') units.add('custom_events');
    }
  }
  return { fields: [...fields], units: [...units] };
}

/** Single things are cut out in the order that is asked for; of other lists all rows are sorted. */
export function requestOf({ type, context }: AskedCount): CountRequest {
  const { from, to, filters, shareFilters, metricFilters, minSamples, page, sort } = context;
  const top = sort !== null && !type.sources.singles ? Infinity : page.page * page.limit;
  const series = { days: context.buckets.map(({ label }) => dayNumber(label)), stretches: stretchesOf(context) };
  return { from, to, series, filters, shareFilters, metricFilters, minSamples, top };
}

/** When the sessions are that are read for a type. */
export function spanOf(asked: AskedCount): Span {
  const { every } = readsOf(planOf(asked));
  const { from, to } = asked.context;
  if (every === undefined) return { from, to };
  if (typeof every === 'number') return { from: from - every, to };
  return { from: every === 'history' ? ALWAYS.from : from, to: ALWAYS.to };
}
