import { Injectable } from '@nestjs/common';
import { ANONYMOUS } from '@ledgerline/domain/access/caller';
import { QueryRunner } from '../execution/query-runner';
import { requestAnswer, timesOf, type RequestAnswer } from '../execution/response';
import type { QueryTarget } from '../request/query-targets';
import { readRequests } from '../request/read-requests';
import { Audience, QueryDeadline } from '../snapshot/request-lifetime';
import { SnapshotRunner, type Snapshot } from '../snapshot/snapshot';

export const LIVE_MINUTES = 30;
const MINUTE_MS = 60_000;

const ofMinutes = (name: string, limit: number) => ({ name, minutes: LIVE_MINUTES, limit });

/** The request for what is shown of a website live: who is there now, and the last minutes of the clock. */
export const LIVE_REQUEST = {
  parameters: [
    'active_stats',
    ofMinutes('realtime_velocity', LIVE_MINUTES),
    ...['realtime_pages', 'realtime_referrers', 'realtime_countries'].map((name) => ofMinutes(name, 8)),
    ...['realtime_feed', 'realtime_sessions'].map((name) => ofMinutes(name, 15)),
  ],
};

/** An answer to {@link LIVE_REQUEST}. */
export interface LiveAnswer {
  readonly answer: RequestAnswer;
  /** The state of the tables that it was read from. */
  readonly state: string;
  /** Epoch ms. */
  readonly now: number;
}

/** Reads what is shown of websites live. */
@Injectable()
export class LiveAnswers {
  constructor(
    private readonly snapshots: SnapshotRunner,
    private readonly queries: QueryRunner,
  ) {}

  /**
   * The answer of this moment. Of a known one that is still the same only the times are read.
   * @throws Problem when a part of it fails, ReadStoreUnavailable
   */
  read(target: QueryTarget, signal: AbortSignal, known?: LiveAnswer): Promise<LiveAnswer> {
    const now = Date.now();
    const requests = readRequests(LIVE_REQUEST, undefined, target, { now });
    // whoever watches, it is one question: turns are those of the website
    const task = { caller: ANONYMOUS, target, now, deadline: new QueryDeadline(), requestId: undefined };
    return this.snapshots.read({ ...task, audience: new Audience(signal) }, async (run) => {
      if (known && isUnchanged(known, run.snapshot)) {
        const meta = { ...known.answer.meta, ...timesOf({ target }, run.snapshot) };
        return { ...known, answer: { ...known.answer, meta } };
      }
      const [answered] = await this.queries.answer(requests, run, []);
      if (!answered) throw new Error('A request has an answer.');
      for (const { failure } of answered.results) if (failure) throw failure;
      return { answer: requestAnswer(answered), state: run.snapshot.state, now };
    });
  }
}

/** Without a change of the tables figures change with the minute, and at any moment while a visitor is there, who may leave. */
function isUnchanged({ answer, ...known }: LiveAnswer, { state, now }: Pick<Snapshot, 'state' | 'now'>): boolean {
  const isSameMinute = Math.floor(known.now / MINUTE_MS) === Math.floor(now / MINUTE_MS);
  const isAnybodyThere = answer.data.some(
    ({ parameter, data: [row] }) => parameter === 'active_stats' && row?.['active_users'] !== 0,
  );
  return known.state === state && isSameMinute && !isAnybodyThere;
}
