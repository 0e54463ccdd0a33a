import type { Type } from '@nestjs/common';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { validated } from '../../http/validation';
import {
  AdHocFunnelDto,
  AdHocGoalDto,
  FunnelDefinitionDto,
  GoalDefinitionDto,
  SegmentDefinitionDto,
} from './definition.dto';

const filter = (field: unknown, op: unknown = 'eq', value: unknown = 'x') => ({ field, op, value });
const PAGE = { kind: 'page' };
const DOCS = { kind: 'page', filters: [filter('path', 'glob', '/docs/**')] };
const ORDER = { kind: 'event', filters: [filter('name', 'eq', 'order')] };
const goalOn = (kind: unknown, ...filters: unknown[]) => ({ condition: { kind, filters } });
const funnelOf = (...conditions: object[]) => ({ steps: conditions.map((condition) => ({ condition })) });

describe('a definition', () => {
  it.each([
    [GoalDefinitionDto, { condition: PAGE }],
    [GoalDefinitionDto, { condition: DOCS, value: null }],
    [GoalDefinitionDto, { condition: ORDER, value: { property: 'total' } }],
    [GoalDefinitionDto, { condition: ORDER, value: { property: 'total', currency: 'EUR' } }],
    [GoalDefinitionDto, { condition: ORDER, value: { property: 'total', currency: { property: 'currency' } } }],
    [GoalDefinitionDto, goalOn('event', filter('property:plan'), filter('property:seats', 'gte', '-1.5e3'))],
    [GoalDefinitionDto, goalOn('vital', filter('metric_value', 'gt', '2500'), filter('metric_name', 'in', ['LCP']))],
    [GoalDefinitionDto, goalOn('page', { any: [filter('path'), filter('hostname', 'not_in', ['a', 'b'])] })],
    [AdHocGoalDto, { condition: PAGE, name: 'Views' }],
    [FunnelDefinitionDto, funnelOf(PAGE, ORDER)],
    [FunnelDefinitionDto, { ...funnelOf(PAGE, PAGE), window: '12h', order: 'strict', per: 'session' }],
    [FunnelDefinitionDto, { ...funnelOf(...Array<object>(32).fill(PAGE)), window: null }],
    [AdHocFunnelDto, { ...funnelOf(PAGE, PAGE), name: 'Checkout' }],
    [SegmentDefinitionDto, {}],
    [SegmentDefinitionDto, { filters: [filter('country'), { any: [filter('channel'), filter('event')] }] }],
    [SegmentDefinitionDto, { did: [{ condition: ORDER, within: 'range', not: true }] }],
  ] as const)('%p is %j, and stays as it was sent', (type: Type<object>, sent) =>
    expect(JSON.parse(JSON.stringify(validated(type, sent)))).toEqual(sent),
  );

  it.each([
    [GoalDefinitionDto, {}, 'condition'],
    [GoalDefinitionDto, { condition: 'page' }, 'condition'],
    [GoalDefinitionDto, { condition: {} }, 'condition.kind'],
    [GoalDefinitionDto, goalOn('visit', filter('path')), 'condition.kind'],
    [GoalDefinitionDto, goalOn('toString'), 'condition.kind'],
    [GoalDefinitionDto, { condition: { ...PAGE, filters: null } }, 'condition.filters'],
    [GoalDefinitionDto, { condition: { ...PAGE, filters: { any: [] } } }, 'condition.filters'],
    [GoalDefinitionDto, { condition: { ...PAGE, filter: [] } }, 'condition.filter'],
    [GoalDefinitionDto, goalOn('page', ...Array<object>(21).fill(filter('path'))), 'condition.filters'],
    [GoalDefinitionDto, goalOn('page', 'path'), 'condition.filters[0]'],
    [GoalDefinitionDto, goalOn('page', [filter('path')]), 'condition.filters[0]'],
    [GoalDefinitionDto, goalOn('page', filter('name')), 'condition.filters[0].field'],
    [GoalDefinitionDto, goalOn('page', filter(undefined)), 'condition.filters[0].field'],
    [GoalDefinitionDto, goalOn('page', filter('property:plan')), 'condition.filters[0].field'],
    [GoalDefinitionDto, goalOn('event', filter('property:')), 'condition.filters[0].field'],
    [GoalDefinitionDto, goalOn('event', filter('path'), filter('name', 'like')), 'condition.filters[1].op'],
    [GoalDefinitionDto, goalOn('event', filter('name', 'gt', '1')), 'condition.filters[0].op'],
    [GoalDefinitionDto, goalOn('event', filter('property:a', 'gt', '1,50')), 'condition.filters[0].value'],
    [GoalDefinitionDto, goalOn('event', filter('property:a', 'lte', null)), 'condition.filters[0].value'],
    [GoalDefinitionDto, goalOn('event', filter('property:a', 'eq', { n: 5 })), 'condition.filters[0].value'],
    [GoalDefinitionDto, goalOn('event', filter('path', 'eq', 5)), 'condition.filters[0].value'],
    [GoalDefinitionDto, goalOn('outgoing_link', filter('link_kind', 'eq', 'nope')), 'condition.filters[0].value'],
    [GoalDefinitionDto, goalOn('vital', { any: [filter('metric_name')] }), 'condition.filters[0].any[0].value'],
    [GoalDefinitionDto, goalOn('vital', filter('metric_value', 'eq', 'slow')), 'condition.filters[0].value'],
    [GoalDefinitionDto, goalOn('event', filter('name', 'in', 'a')), 'condition.filters[0].value'],
    [GoalDefinitionDto, goalOn('event', filter('name', 'eq', ['a'])), 'condition.filters[0].value'],
    [GoalDefinitionDto, goalOn('page', { any: [] }), 'condition.filters[0].any'],
    [GoalDefinitionDto, goalOn('page', { any: Array(21).fill(filter('path')) }), 'condition.filters[0].any'],
    [GoalDefinitionDto, goalOn('page', { any: [filter('path'), filter('name')] }), 'condition.filters[0].any[1].field'],
    [GoalDefinitionDto, goalOn('page', { any: [{ any: [filter('path')] }] }), 'condition.filters[0].any[0].any'],
    [GoalDefinitionDto, goalOn('page', { any: [filter('path')], field: 'path' }), 'condition.filters[0].field'],
    [GoalDefinitionDto, { condition: PAGE, value: { property: 'total' } }, 'value'],
    [GoalDefinitionDto, { condition: ORDER, value: 'total' }, 'value'],
    [GoalDefinitionDto, { condition: ORDER, value: {} }, 'value.property'],
    [GoalDefinitionDto, { condition: ORDER, value: { property: '' } }, 'value.property'],
    [GoalDefinitionDto, { condition: ORDER, value: { property: 'a', currency: 'euro' } }, 'value.currency'],
    [GoalDefinitionDto, { condition: ORDER, value: { property: 'a', currency: null } }, 'value.currency'],
    [GoalDefinitionDto, { condition: ORDER, value: { property: 'a', currency: { property: 7 } } }, 'value.currency'],
    [
      GoalDefinitionDto,
      goalOn('page', ...Array<object>(12).fill(filter('path', 'eq', 'x'.repeat(2_000)))),
      'condition',
    ],
    [FunnelDefinitionDto, funnelOf(PAGE), 'steps'],
    [FunnelDefinitionDto, funnelOf(...Array<object>(33).fill(PAGE)), 'steps'],
    [FunnelDefinitionDto, { steps: [PAGE, 'b'] }, 'steps[1]'],
    [FunnelDefinitionDto, funnelOf(PAGE, { kind: 'visit' }), 'steps[1].condition.kind'],
    [FunnelDefinitionDto, { steps: [{ name: '', condition: PAGE }, { condition: PAGE }] }, 'steps[0].name'],
    [FunnelDefinitionDto, { ...funnelOf(PAGE, PAGE), window: '1w' }, 'window'],
    [FunnelDefinitionDto, { ...funnelOf(PAGE, PAGE), window: 7 }, 'window'],
    [FunnelDefinitionDto, { ...funnelOf(PAGE, PAGE), order: 'loose' }, 'order'],
    [FunnelDefinitionDto, { ...funnelOf(PAGE, PAGE), per: 'click' }, 'per'],
    [SegmentDefinitionDto, { filters: [filter('shoe')] }, 'filters[0].field'],
    [SegmentDefinitionDto, { filters: [filter('country', 'gt', '1')] }, 'filters[0].op'],
    [SegmentDefinitionDto, { did: [{ condition: PAGE }] }, 'did[0].within'],
    [SegmentDefinitionDto, { did: [{ condition: PAGE, within: 'day' }] }, 'did[0].within'],
    [SegmentDefinitionDto, { did: [{ condition: PAGE, within: 'range', not: 'yes' }] }, 'did[0].not'],
    [SegmentDefinitionDto, { did: [{ within: 'range' }] }, 'did[0].condition'],
    [SegmentDefinitionDto, { did: Array(11).fill({ condition: PAGE, within: 'range' }) }, 'did'],
  ] as const)('%p is not %j: %s', (type: Type<object>, sent, field) => expect(faultsOf(type, sent)).toContain(field));

  it('may have JSON numbers where numbers are compared, which it keeps as texts', () => {
    const sent = goalOn('event', filter('property:a', 'gte', -0.5), {
      any: [filter('property:a', 'in', [5, '7', 1e21])],
    });
    expect(JSON.parse(JSON.stringify(validated(GoalDefinitionDto, sent)))).toEqual(
      goalOn('event', filter('property:a', 'gte', '-0.5'), { any: [filter('property:a', 'in', ['5', '7', '1e+21'])] }),
    );
    const vital = goalOn('vital', filter('metric_value', 'lt', 2500));
    expect(validated(GoalDefinitionDto, vital)).toMatchObject(goalOn('vital', filter('metric_value', 'lt', '2500')));
  });

  it('names the limits of its window', () =>
    expect(() => validated(FunnelDefinitionDto, { ...funnelOf(PAGE, PAGE), window: '9999d' })).toThrow(
      expect.objectContaining({
        details: [
          {
            field: 'window',
            message: 'window must be a number of minutes, hours or days such as 30m, 12h or 7d, from 1m to 3660d.',
          },
        ],
      }) as Error,
    ));

  it('says of a field that its kind of events does not have which ones it has', () => {
    const sent = goalOn('outgoing_link', filter('query_string'));
    expect(() => validated(GoalDefinitionDto, sent)).toThrow(
      expect.objectContaining({
        details: [
          {
            field: 'condition.filters[0].field',
            message: 'field must be one of href, domain, link_kind, path.',
          },
        ],
      }) as Error,
    );
  });
});

function faultsOf(type: Type<object>, sent: object): readonly string[] {
  try {
    validated(type, sent);
    return [];
  } catch (error) {
    return (error as Problem).details!.map(({ field }) => field);
  }
}
