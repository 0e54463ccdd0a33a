import type { Group } from '@ledgerline/contracts/read-models/groups';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { segmentsOf } from '@ledgerline/platform/intake-log/kafka/copying';
import { ReadStores } from '@ledgerline/platform/read-stores/read-stores';
import { LiveRegistry } from '@ledgerline/platform/registry/live-registry';
import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { AwaitedPosition, LogPosition } from '../../http/log-position';
import { POOL } from '../../tokens';
import { CheckpointPoll } from './checkpoint-poll';

export const NOT_REACHED = 'X-Min-Position was not reached within 2 s; the newest writes may be missing.';

/** Waits until the read models include what a request wants to see. */
@Injectable()
export class ProjectedPositions {
  private readonly polls: readonly CheckpointPoll[];

  constructor(
    private readonly stores: ReadStores,
    private readonly live: LiveRegistry,
    @Inject(POOL) private readonly main: Pool,
  ) {
    this.polls = stores.all.map(({ pool }) => new CheckpointPoll(pool));
  }

  /**
   * True as soon as the registry and the read models of a group include a position as far as it is about this website
   * or link, false when its time is over. @throws ReadStoreUnavailable
   */
  async include({ decided, until, ...awaited }: AwaitedPosition, group: Group, id: string): Promise<boolean> {
    // the guard of every route has waited for it
    if (decided !== undefined && !(await this.live.hasReached(decided, 0))) return false;
    if (awaited.observed.size === 0 && !awaited.sent?.size) return true;
    const { store, partition } = await this.stores.locate(id);
    const own = (all: ReadonlyMap<number, number> = new Map()) => new Map([...all].filter(([at]) => at === partition));
    const sent = own(awaited.sent);
    const copied = await copiedPositions(this.main, { observed: own(awaited.observed), sent, until });
    if (copied === undefined) return false;
    const offset = copied.get(partition);
    const poll = this.polls[store.place - 1];
    return offset === undefined || !poll || poll.reaches({ group, partition, offset, until });
  }
}

const POLL_MS = 50;

/**
 * Waits until the hits that were sent to Kafka up to a position are in the log, and answers where: the head of the
 * partition at that moment, which does not move on while their projection is waited for. Undefined when time is over.
 */
export async function copiedPositions(
  on: Queryable,
  { observed, sent = new Map(), until }: Pick<AwaitedPosition, 'observed' | 'sent' | 'until'>,
): Promise<LogPosition['observed'] | undefined> {
  const found = new Map(observed);
  for (let missing = sent; missing.size > 0;) {
    const offsets = await segmentsOf(on, missing);
    for (const [partition, offset] of offsets)
      if (offset !== undefined) found.set(partition, Math.max(offset, found.get(partition) ?? 0));
    missing = new Map([...missing].filter(([partition]) => offsets.get(partition) === undefined));
    if (missing.size === 0) break;
    if (performance.now() + POLL_MS > until) return undefined;
    await sleep(POLL_MS);
  }
  return found;
}
