import type { FieldFilter, Filter, FilterOp } from '@ledgerline/contracts/definitions';
import { queryTypeNamed } from '../types/catalogue';
import { checkFilters } from './check-parameter';

describe('the filters of a query type', () => {
  it('are the common ones, with any op', () =>
    expect(refusalOf('top_pages', [filter('country'), filter('path', 'not_contains')])).toBeUndefined());

  it('are refused under an unknown name, with the one that was meant', () => {
    expect(refusalOf('top_pages', [filter('path'), filter('os')])).toMatchObject([
      { field: 'filters[1]', suggestion: 'os_name' },
    ]);
    expect(refusalOf('top_pages', [filter('session_id')])).toHaveLength(1);
    expect(refusalOf('link_top_cities', [filter('os_name')])?.[0]).not.toHaveProperty('suggestion');
  });

  it('name a metric in types about vitals only', () => {
    for (const name of ['vitals_overview', 'vitals_by_page', 'vitals_time_series']) {
      expect(refusalOf(name, [filter('metric_name'), filter('metric_name', 'not_in')])).toBeUndefined();
    }
    expect(refusalOf('top_pages', [filter('metric_name')])).toHaveLength(1);
    expect(refusalOf('link_top_cities', [filter('metric_name')])).toHaveLength(1);
  });

  it('are all named when several are wrong', () =>
    expect(refusalOf('session_events', [filter('contry'), filter('session_id', 'ne')])).toMatchObject([
      { field: 'filters[0]', suggestion: 'country' },
      { field: 'filters[1]', message: 'The filter session_id takes only the ops eq and in.' },
    ]));

  it('must contain those it cannot do without', () => {
    expect(refusalOf('session_events', [filter('country')])).toMatchObject([
      { field: 'filters', message: expect.stringContaining('session_events needs a filter on session_id') as string },
    ]);
    expect(refusalOf('session_events', [filter('session_id', 'in')])).toBeUndefined();
  });

  it('is refused by its place among several of which one must hold, where ids may not be', () => {
    const any = [filter('path', 'glob'), filter('session_id')];
    expect(refusalOf('session_events', [filter('session_id'), { any }])).toEqual([
      { field: 'filters[1].any[1]', message: 'The filter session_id stands alone, and not in any.' },
    ]);
    expect(refusalOf('top_pages', [{ any: [filter('path'), filter('event')] }])).toBeUndefined();
    expect(refusalOf('top_pages', [filter('path', 'gt')])).toEqual([
      { field: 'filters[0]', message: 'The op gt compares numbers; the values of path are texts.' },
    ]);
  });
});

const filter = (field: string, op: FilterOp = 'eq'): FieldFilter => ({ field, op, value: 'x' });

function refusalOf(name: string, filters: readonly Filter[]): { field: string }[] | undefined {
  try {
    checkFilters(queryTypeNamed(name)!, filters);
  } catch (error) {
    return (error as { details: { field: string }[] }).details;
  }
  return undefined;
}
