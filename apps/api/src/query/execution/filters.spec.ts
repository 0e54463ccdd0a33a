import type { Queryable } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';
import { lookUpFilters, checkFilters } from './filters';
import type { Filter } from '@ledgerline/domain/query/filters';
import { queryTypeNamed } from '../types/catalogue';

describe('the filters of a request', () => {
  it.each(['website', 'link'] as const)('for a %s are all sent before the first is answered', async (about) => {
    const query = jest.fn().mockResolvedValue({ rows: [] });
    const on: Queryable = { query };
    const looked = lookUpFilters(on, { subject: { about, id: 'id_1' }, filters: FILTERS }, SNAPSHOT);
    expect(query).toHaveBeenCalledTimes(2);
    expect(await looked).toMatchObject(FILTERS.map(({ field }) => ({ field })));
  });
});

const FILTERS = ['country', 'city'].map((field) => ({ field, op: 'eq' as const, value: 'x' }));
const SNAPSHOT = { website: 1, table: ({ name }: { name: string }) => identifier(name) };

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
});

const filter = (field: string, op: Filter['op'] = 'eq'): Filter => ({ field, op, value: 'x' });

function refusalOf(name: string, filters: readonly Filter[]): { field: string }[] | undefined {
  try {
    checkFilters(queryTypeNamed(name)!, filters);
  } catch (error) {
    return (error as { details: { field: string }[] }).details;
  }
  return undefined;
}
