import { CONDITION_FIELDS } from '@ledgerline/contracts/definitions';
import {
  conditionIn,
  conditionDraftOf,
  newCondition,
  ofKind,
} from '../../apps/console/src/pages/website/conditions/condition-draft';
import {
  describeCondition,
  kindNamed,
  CONDITION_KIND_FORMS,
  type ConditionInput,
} from '../../apps/console/src/pages/website/conditions/condition-kinds';

describe('the form of a condition', () => {
  it('reads addresses, hosts and paths as people do', () => {
    const filters = [
      is('href', 'https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe'),
      is('domain', 'xn--bcher-kva.example'),
      is('path', '/gr%C3%B6%C3%9Fe'),
    ];
    expect(describeCondition({ kind: 'outgoing_link', filters })).toBe(
      'Address is https://bücher.example/größe, and Domain is bücher.example, and Page is /größe',
    );
  });

  it('offers every kind with all of its fields', () => {
    const shown = Object.fromEntries(
      CONDITION_KIND_FORMS.map(({ kind, fields }) => [kind, fields.map(({ field }) => field).sort()]),
    );
    const declared = Object.entries(CONDITION_FIELDS).map(([kind, fields]) => [kind, [...fields].sort()]);
    expect(shown).toEqual(Object.fromEntries(declared));
  });

  it.each<[string, ConditionInput]>([
    ['several filters', { kind: 'event', filters: [is('name', 'order'), is('property:plan', 'team')] }],
    ['an empty value', { kind: 'page', filters: [is('path', '')] }],
    ['a value that must not be empty', { kind: 'event', filters: [{ field: 'property:plan', op: 'ne', value: '' }] }],
    ['an empty text that all contain', { kind: 'page', filters: [{ field: 'path', op: 'contains', value: '' }] }],
    ['alternatives', { kind: 'page', filters: [{ any: [is('path', '/a'), is('path', '/b')] }, is('hostname', 'x')] }],
    ['a list of values', { kind: 'page', filters: [{ field: 'path', op: 'in', value: ['/a', '/b'] }] }],
    ['numbers', { kind: 'vital', filters: [{ field: 'metric_value', op: 'gte', value: '2500' }] }],
    ['a field that it does not know', { kind: 'page', filters: [is('later', 'x')] }],
    ['nothing', { kind: 'form_submit', filters: [] }],
  ])('gives back %s as it was', (_, condition) => {
    expect(conditionIn(conditionDraftOf(condition))).toEqual(condition);
  });

  it('keeps what another kind of event has, too', () => {
    const draft = conditionDraftOf({ kind: 'event', filters: [is('name', 'order'), is('path', '/cart')] });
    expect(conditionIn(ofKind(draft, kindNamed('page')))).toEqual({ kind: 'page', filters: [is('path', '/cart')] });
    const other = ofKind(newCondition(kindNamed('event'), 'order'), kindNamed('page'));
    expect(conditionIn(other)).toEqual({ kind: 'page', filters: [is('path', '')] });
  });

  it('reads as a sentence', () => {
    const filters = [is('name', 'order'), { any: [is('property:plan', 'team'), is('path', '/cart')] }];
    expect(describeCondition({ kind: 'event', filters })).toBe('Event is order, and plan is team or Page is /cart');
    expect(describeCondition({ kind: 'page' })).toBe('Every page view');
  });
});

function is(field: string, value: string) {
  return { field, op: 'eq' as const, value };
}
