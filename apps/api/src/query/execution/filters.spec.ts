import { identifier } from '@ledgerline/platform/database/sql';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { textFilters, wordFilters } from './filters';

describe('the filters of a question', () => {
  it.each<[string, (on: Queryable) => Promise<unknown>]>([
    ['website', (on) => wordFilters(on, 1, FILTERS)],
    ['link', (on) => textFilters(on, { table: ({ name }) => identifier(name), link: 'link_1' }, FILTERS)],
  ])('of a %s are all asked for before the first is answered', async (_, looking) => {
    const query = jest.fn().mockResolvedValue({ rows: [] });
    const looked = looking({ query });
    expect(query).toHaveBeenCalledTimes(2);
    expect(await looked).toMatchObject(FILTERS.map(({ field }) => ({ field })));
  });
});

const FILTERS = ['country', 'city'].map((field) => ({ field, op: 'eq' as const, value: 'x' }));
