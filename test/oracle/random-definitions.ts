import fc from 'fast-check';
import type {
  ConditionDefinition,
  ConditionKind,
  FieldFilter,
  FunnelDefinition,
} from '@ledgerline/contracts/definitions';
import type { NaiveGoal } from './naive-goal-answers';
import type { NaiveJourneys } from './naive-journey-answers';
import type { NaiveRetention } from './naive-retention-answers';
import { PATHS } from './random-traffic';

const SOME_PATHS = [...PATHS.slice(0, 4), '/x'];
const FIELDS: Readonly<Record<string, readonly (readonly [string, readonly string[]])[]>> = {
  page: [
    ['path', SOME_PATHS],
    ['query_string', ['q=1', '']],
    ['hostname', ['own.example', '']],
  ],
  event: [
    ['name', ['signup', 'purchase']],
    ['path', SOME_PATHS],
    ['property:plan', ['pro', 'free', '']],
    ['property:seats', ['3', '-5', '']],
    ['property:size', ['0.5', '0.1', '19.99']],
    ['property:trial', ['true']],
    ['property:note', ['null', '']],
  ],
  outgoing_link: [
    ['href', ['https://out.example/a']],
    ['domain', ['out.example', 'other.example']],
    ['link_kind', ['link', 'download']],
    ['path', SOME_PATHS],
  ],
  error: [
    ['message', ['Failed to fetch']],
    ['error_type', ['TypeError', '']],
    ['path', SOME_PATHS],
  ],
  form_submit: [['path', SOME_PATHS]],
  link_click: [['link_id', ['link_1', 'link_2', 'link_9']]],
  vital: [
    ['metric_name', ['LCP', 'CLS']],
    ['metric_value', ['0.25', '1200', '59.94']],
    ['path', SOME_PATHS],
  ],
};

const TEXT_OPS = ['eq', 'eq', 'ne', 'contains', 'not_contains', 'starts_with'] as const;
const NUMBER_OPS = ['gt', 'gte', 'lt', 'lte'] as const;

const filterOf = (kind: string): fc.Arbitrary<FieldFilter> =>
  fc.constantFrom(...FIELDS[kind]!).chain(([field, values]) => {
    const isNumber = field.startsWith('property:s') || field === 'metric_value';
    const numbers = values.filter((value) => /^-?\d/.test(value));
    return fc.oneof(
      fc.record({ field: fc.constant(field), op: fc.constantFrom(...TEXT_OPS), value: fc.constantFrom(...values) }),
      fc.record({
        field: fc.constant(field),
        op: fc.constant('in' as const),
        value: fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 }),
      }),
      fc.record({
        field: fc.constant(field),
        op: fc.constant('glob' as const),
        value: fc.constantFrom('**', '/*', 'p*', '*', ...values),
      }),
      ...(isNumber
        ? [
            fc.record({
              field: fc.constant(field),
              op: fc.constantFrom(...NUMBER_OPS),
              value: fc.constantFrom(...numbers),
            }),
          ]
        : []),
    );
  });

export const condition: fc.Arbitrary<ConditionDefinition> = fc
  .constantFrom<ConditionKind>(
    'page',
    'page',
    'page',
    'event',
    'event',
    'outgoing_link',
    'error',
    'form_submit',
    'vital',
    'link_click',
    'link_click',
  )
  .chain((kind) =>
    fc.record({
      kind: fc.constant(kind),
      filters: fc.oneof(
        { weight: 2, arbitrary: fc.constant([]) },
        { weight: 3, arbitrary: fc.array(filterOf(kind), { minLength: 1, maxLength: 2 }) },
        {
          weight: 1,
          arbitrary: fc.array(fc.record({ any: fc.array(filterOf(kind), { minLength: 1, maxLength: 3 }) }), {
            minLength: 1,
            maxLength: 2,
          }),
        },
      ),
    }),
  );

const value = fc.record(
  {
    property: fc.constantFrom('size', 'seats', 'plan', 'note'),
    currency: fc.constantFrom<string | { property: string }>('EUR', { property: 'plan' }),
  },
  { requiredKeys: ['property'] },
);

export const goal: fc.Arbitrary<NaiveGoal> = fc
  .record({ name: fc.constantFrom('A', 'B', 'C'), condition, valued: fc.option(value) })
  .map(({ valued, ...named }) => ({
    ...named,
    ...(valued && named.condition.kind === 'event' ? { value: valued } : {}),
  }));

export const funnelDefinition: fc.Arbitrary<FunnelDefinition> = fc.record(
  {
    steps: fc.array(fc.record({ condition, name: fc.constantFrom('Cart', 'Paid') }, { requiredKeys: ['condition'] }), {
      minLength: 2,
      maxLength: 4,
    }),
    window: fc.constantFrom('1m', '30m', '12h', '2d', '60d'),
    order: fc.constantFrom('ordered' as const, 'strict' as const),
    per: fc.constantFrom('visitor' as const, 'session' as const),
  },
  { requiredKeys: ['steps'] },
);

export const breakdown = fc.constantFrom(
  'country',
  'referrer',
  'channel',
  'device_type',
  'utm_source',
  'entry_page',
  'path',
  'property:plan',
  'property:size',
);

export const retention: fc.Arbitrary<NaiveRetention> = fc.record(
  {
    first: condition,
    again: condition,
    period: fc.constantFrom('day' as const, 'week' as const, 'month' as const),
    periods: fc.integer({ min: 1, max: 9 }),
    mode: fc.constantFrom('on' as const, 'from' as const),
  },
  { requiredKeys: ['period', 'periods', 'mode'] },
);

export const deeds = fc.array(
  fc.record(
    { condition, within: fc.constantFrom('session' as const, 'range' as const), not: fc.boolean() },
    { requiredKeys: ['condition', 'within'] },
  ),
  { minLength: 1, maxLength: 2 },
);

export const journeyOptions: fc.Arbitrary<NaiveJourneys> = fc
  .record({
    condition,
    isBackwards: fc.boolean(),
    steps: fc.integer({ min: 1, max: 4 }),
    branches: fc.integer({ min: 1, max: 3 }),
    by: fc.constantFrom('page' as const, 'event' as const),
  })
  .map(({ condition: begin, isBackwards, ...others }) => ({
    ...others,
    ...(isBackwards ? { to: begin } : { from: begin }),
  }));
