import type { Queryable } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';
import { lookUpFilters } from './filters';

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
