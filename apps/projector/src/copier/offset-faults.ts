import { skipLost, stopCopying, type Watermarks } from '@ledgerline/platform/intake-log/kafka/topic-offsets';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { Pool } from 'pg';

interface FaultContext {
  readonly pool: Pool;
  readonly topic: string;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Deals with an offset that the topic does not have: behind what Kafka dropped it goes on, and the loss is counted; where
 * the topic ends before it, the partition stops. `next` must have been read before the watermarks were asked.
 */
export async function checkOffset(
  { pool, topic, logger }: FaultContext,
  next: number,
  { partition, low, high }: Watermarks,
): Promise<'valid' | 'stopped' | 'lost'> {
  if (high < next) {
    await stopPartition({ pool, topic, logger }, partition, next);
    return 'stopped';
  }
  if (low <= next) return 'valid';
  if (await skipLost(pool, { topic, partition }, next, low))
    logger.error(
      { topic, partition, messages: low - next, from: next, to: low - 1 },
      'Kafka dropped messages before they were copied; their hits are lost',
    );
  return 'lost';
}

/** Nothing shows whether the topic was replaced on purpose: going on is an operator's decision. */
export async function stopPartition(
  { pool, topic, logger }: FaultContext,
  partition: number,
  next: number,
): Promise<void> {
  const why = `The topic ${topic} is not the one that was copied: it was deleted and created again, or restored. Run "npm run projections -- accept-topic" to copy it from its beginning.`;
  if (await stopCopying(pool, { topic, partition }, next, why)) logger.error({ topic, partition }, why);
}
