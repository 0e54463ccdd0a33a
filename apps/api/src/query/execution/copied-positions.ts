import { segmentsOf } from '@ledgerline/platform/intake-log/kafka/copying';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AwaitedPosition, LogPosition } from '../../http/log-position';

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
