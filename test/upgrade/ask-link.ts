import type { Pool } from 'pg';
import { readTransaction } from '@ledgerline/platform/database/pool';
import { partitionOf } from '@ledgerline/platform/intake-log/intake-log';
import { createLogger } from '@ledgerline/platform/logging/logger';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import type { QueryType } from '../../apps/api/src/query/declaration/query-type';
import { QueryRunner } from '../../apps/api/src/query/execution/query-runner';
import { requestAnswer } from '../../apps/api/src/query/execution/response';
import { readRequests } from '../../apps/api/src/query/request/read-requests';
import { AnswerCache } from '../../apps/api/src/query/snapshot/answer-cache';
import { Audience, QueryDeadline } from '../../apps/api/src/query/snapshot/request-lifetime';
import { readSnapshot, beginSnapshot } from '../../apps/api/src/query/snapshot/snapshot';

/** The content of an entry of an answer. */
export interface Entry {
  readonly name: string;
  /** The sum of the clicks in all of its rows. */
  readonly sum?: number;
  /** The names of its rows. */
  readonly values?: readonly unknown[];
  readonly code?: string;
  readonly progress?: number;
}

const PARTITIONS = 2;

/** Asks for types of a link in one snapshot, as the api does; types may be those of another program. */
export const askLink = (pool: Pool, id: string, types: readonly QueryType[]): Promise<readonly Entry[]> =>
  readTransaction(pool, beginSnapshot(30_000), async (client) => {
    const subject = { about: 'link' as const, id, name: id, zone: 'UTC', visitorIdentity: 'daily', publicOnly: false };
    const now = Date.now();
    const body = { parameters: types.map(({ name }) => name), preset: 'last_7d', limit: 100 };
    const [request] = readRequests(body, undefined, subject, { now });
    const parameters = request!.parameters.map((parameter, at) => ({ ...parameter, type: types[at]! }));
    const snapshot = await readSnapshot(
      { client, main: pool, partitions: [partitionOf(id, PARTITIONS)] },
      subject,
      now,
    );
    const counter = { run: () => Promise.reject(new Error('nothing is counted')) } as never;
    const logger = createLogger('api', 'silent');
    const cache = new AnswerCache({ answerCacheMb: 0 }, new Metrics());
    const audience = new Audience(new AbortController().signal);
    const of = { client, main: pool, snapshot, deadline: new QueryDeadline(), audience, counter };
    const run = {
      ...of,
      requestId: undefined,
      onPlan: () => undefined,
      sources: {},
      targets: undefined as never,
    };
    const runner = new QueryRunner(
      undefined as never,
      undefined as never,
      undefined as never,
      cache,
      undefined as never,
      logger,
    );
    const [answer] = await runner.answer([{ ...request!, parameters }], run, []);
    return requestAnswer(answer!).data.map((entry): Entry => {
      if (!entry.success) {
        const { parameter: name, code = entry.error, progress } = entry;
        return { name, code, ...(progress === undefined ? {} : { progress }) };
      }
      const clicks = entry.data.map((row) => Number(row['clicks'] ?? row['total'] ?? 0));
      return {
        name: entry.parameter,
        sum: clicks.reduce((sum, each) => sum + each, 0),
        values: entry.data.map((row) => row['name'] ?? row['value']),
      };
    });
  });
