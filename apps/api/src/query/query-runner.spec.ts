import { DAY, startQueryApi, type QueryApi } from '../../../../test/query/query-api';
import { queryTypeNamed } from './catalogue';

describe('an entry of an answer', () => {
  it('fails alone, also when its question cannot even be put', async () => {
    const broken = jest.replaceProperty(queryTypeNamed('country')!, 'allowedFilters', undefined as never);
    const { status, body } = await on.question({ parameters: ['country', 'top_pages'], ...RANGE, filters: [PATH] });
    broken.restore();
    expect(status).toBe(200);
    expect(body.data).toMatchObject([
      { parameter: 'country', success: false, error: expect.stringContaining('could not be answered') as string },
      { parameter: 'top_pages', success: true },
    ]);
  });
});

const RANGE = { startDate: DAY, endDate: DAY };
const PATH = { field: 'path', op: 'eq', value: '/' };

let on: QueryApi;
beforeAll(async () => (on = await startQueryApi()));
afterAll(() => on.close());
