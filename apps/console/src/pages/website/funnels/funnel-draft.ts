import type { CreateFunnelDto, FunnelDto } from '@ledgerline/client';
import {
  conditionIn,
  conditionDraftOf,
  isFilled,
  newCondition,
  newRowId,
  conditionRowKeys as rowsOfCondition,
  type ConditionDraft,
} from '../conditions/condition-draft';
import { kindNamed, CONDITION_KIND_FORMS } from '../conditions/condition-kinds';

export type FunnelInput = Pick<CreateFunnelDto, 'name' | 'steps'> &
  Required<Pick<CreateFunnelDto, 'window' | 'order' | 'per'>>;

export interface StepDraft {
  readonly id: number;
  /** Empty: `Step 1` and so on. */
  readonly name: string;
  readonly condition: ConditionDraft;
}

export const WINDOW_UNITS = [
  ['m', 'minutes'],
  ['h', 'hours'],
  ['d', 'days'],
] as const;

export const FUNNEL_ORDER_OPTIONS = [
  ['ordered', 'Anything may happen in between'],
  ['strict', 'Nothing else happens in between'],
] as const;

export const FOLLOWED = [
  ['visitor', 'Visitors'],
  ['session', 'Sessions'],
] as const;

export const STEPS = { min: 2, max: 32 } as const;

/** A funnel as it is edited. */
export interface FunnelDraft {
  readonly name: string;
  readonly steps: readonly StepDraft[];
  /** The time that an attempt may take; an empty one is the usual one. */
  readonly count: string;
  readonly unit: (typeof WINDOW_UNITS)[number][0];
  readonly order: FunnelDto['order'];
  readonly per: FunnelDto['per'];
}

/** The value that a new step asks for; by default for a page. */
interface FirstValue {
  readonly kind?: string;
  readonly value?: string;
}

export const newStep = ({ kind = CONDITION_KIND_FORMS[0].kind, value = '' }: FirstValue = {}): StepDraft => ({
  id: newRowId(),
  name: '',
  condition: newCondition(kindNamed(kind), value),
});

/** A new funnel, whose first step may ask for something already. */
export const newFunnel = (first: FirstValue): FunnelDraft => ({
  name: '',
  steps: [newStep(first), newStep()],
  count: '',
  unit: 'd',
  order: 'ordered',
  per: 'visitor',
});

export function funnelDraftOf({ name, steps, window, order, per }: FunnelDto): FunnelDraft {
  const [, count = '', unit = 'd'] = /^(\d+)([mhd])$/.exec(window ?? '') ?? [];
  return {
    name,
    steps: steps.map((step) => ({
      id: newRowId(),
      name: step.name ?? '',
      condition: conditionDraftOf(step.condition),
    })),
    count,
    unit: WINDOW_UNITS.find(([each]) => each === unit)?.[0] ?? 'd',
    order,
    per,
  };
}

/** Returns what was edited, for the api. */
export const settingsIn = ({ name, steps, count, unit, order, per }: FunnelDraft): FunnelInput => ({
  name,
  steps: steps.map((step) => ({
    ...(step.name.trim() === '' ? {} : { name: step.name }),
    condition: conditionIn(step.condition),
  })),
  window: count.trim() === '' ? null : `${count.trim()}${unit}`,
  order,
  per,
});

/**
 * Returns which rows there are, in which order: what one is refused for is not said of another that takes its place.
 */
export const funnelRowKeys = ({ steps }: FunnelDraft): string =>
  steps.map(({ id, condition }) => `${id} ${rowsOfCondition(condition)}`).join();

/** Returns whether it has all that it is counted by. */
export const isCompleteDraft = ({ steps, count }: FunnelDraft): boolean =>
  /^([1-9]\d*)?$/.test(count.trim()) && steps.every(({ condition }) => condition.filters.every(isFilled));
