import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { DAY, startQueryApi, type QueryApi } from '@test/query/query-api';
import { LOGGER } from '../../tokens';
import { QueryDeadline } from '../snapshot/request-lifetime';
import { queryTypeNamed } from '../types/catalogue';
import { QueryRunner, RunQuery } from './query-runner';
import { requestAnswer, type RequestAnswer } from './response';

describe('an entry of an answer', () => {
  it('fails alone, also when its SQL cannot even be rendered', async () => {
    const type = queryTypeNamed('country')!;
    const broken = jest.replaceProperty(type, 'takes', { ...type.takes, filters: undefined as never });
    const { status, body } = await on.question({ parameters: ['country', 'top_pages'], ...RANGE, filters: [PATH] });
    broken.restore();
    expect(status).toBe(200);
    expect(body.data).toMatchObject([
      { parameter: 'country', success: false, error: expect.stringContaining('could not be answered') as string },
      { parameter: 'top_pages', success: true },
    ]);
  });

  it('fails when the time of the whole request is over, and those after it fail at once', async () => {
    const times = [0, 0, 0, 0, 0, 30_000, 30_001]; // at the start, before its turn and the snapshot, each entry and the count
    const deadline = new QueryDeadline(() => times.shift() ?? 0);
    const { data } = await answerOf(['top_pages', 'country', 'city'], deadline);
    expect(data).toMatchObject([{ success: true }, OUT_OF_TIME, OUT_OF_TIME]);
  });

  it('is ended in the middle when it takes all the time that is left', async () => {
    const slow = { facts: () => sql`select pg_sleep(20)` };
    const replaced = jest.replaceProperty(queryTypeNamed('recent_errors')!, 'sources', slow);
    const times = [0, 0, 0, 29_900, 0];
    const deadline = new QueryDeadline(() => times.shift() ?? 0);
    const { data } = await answerOf(['recent_errors', 'top_pages'], deadline);
    replaced.restore();
    expect(data).toMatchObject([OUT_OF_TIME, { success: true }]);
  });

  it('that is all there is of a CSV fails as a request does', async () => {
    const csv = async (facts: () => Sql) => {
      const replaced = jest.replaceProperty(queryTypeNamed('recent_errors')!, 'sources', { facts });
      const { status, body } = await on.question({ parameters: ['recent_errors'], ...RANGE }, '', {
        accept: 'text/csv',
      });
      replaced.restore();
      return [status, body.code];
    };
    expect(await csv(() => sql`select 1 / 0`)).toEqual([500, 'INTERNAL']);
    const cancelled = sql`select pg_cancel_backend(pg_backend_pid()), pg_sleep(20)`;
    expect(await csv(() => cancelled)).toEqual([503, 'SERVICE_UNAVAILABLE']);
    const { status, body } = await on.question({ parameters: ['country'], sortBy: 'x' }, '', { accept: 'text/csv' });
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('that fails because its connection broke is logged as a warning', async () => {
    const facts = () => sql`select pg_terminate_backend(pg_backend_pid())`;
    const replaced = jest.replaceProperty(queryTypeNamed('recent_errors')!, 'sources', { facts });
    const warned = jest.spyOn(on.api.app.get<Logger>(LOGGER), 'warn');
    await expect(answerOf(['recent_errors'])).rejects.toThrow();
    expect(warned).toHaveBeenCalledWith(expect.objectContaining({ parameter: 'recent_errors' }), 'an answer failed');
    warned.mockRestore();
    replaced.restore();
  });

  it('fails alone when its rows would exceed the size of a response', async () => {
    const facts = () =>
      sql`select repeat('x', 8000) as message, now() as timestamp, 10000 as total_rows, f.*
        from generate_series(1, 10000) n,
          (select null as stack, null as path, null as visitor, null as session, null as filename, null as lineno,
            null as colno, null as error_type, null as browser_name, null as os_name, null as device_type,
            null as country) f`;
    const replaced = jest.replaceProperty(queryTypeNamed('recent_errors')!, 'sources', { facts });
    const body = { parameters: ['recent_errors', 'top_pages', 'recent_errors'], ...RANGE, limit: 10_000 };
    const { status, body: answer } = await on.question(body);
    const csv = await on.question({ ...body, parameters: ['recent_errors'] }, '', { accept: 'text/csv' });
    replaced.restore();
    const tooLarge = { success: false, error: expect.stringContaining('smaller limit') as string, data: [] };
    expect(status).toBe(200);
    expect(answer.data).toMatchObject([tooLarge, { success: true, data: [{}, {}] }, tooLarge]);
    expect([csv.status, csv.body.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('is none when the time was over before anything could be answered', async () => {
    const times = [0, 0, 30_000];
    const deadline = new QueryDeadline(() => times.shift() ?? 0);
    await expect(answerOf(['city'], deadline)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });
});

const OUT_OF_TIME = { success: false, error: expect.stringContaining('30 seconds') as string, data: [] };
const NOW = Date.parse(`${DAY}T12:00:00Z`);

async function answerOf(parameters: readonly string[], deadline = new QueryDeadline()): Promise<RequestAnswer> {
  const { id, organizationId, websiteId } = on.owner;
  const caller = { kind: 'user' as const, id, roles: new Map([[organizationId, 'owner' as const]]) };
  const body = { parameters, ...RANGE };
  const query = new RunQuery({ caller, params: { website_id: websiteId }, body, now: NOW, deadline });
  const [answer] = await on.api.app.get(QueryRunner).execute(query);
  return requestAnswer(answer!);
}

const RANGE = { startDate: DAY, endDate: DAY };
const PATH = { field: 'path', op: 'eq', value: '/' };

let on: QueryApi;
beforeAll(async () => (on = await startQueryApi()));
afterAll(() => on.close());
