import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { noteEnds, readNextOffsets } from '@ledgerline/platform/intake-log/kafka/topic-offsets';
import type { TopicWatermarks } from '@ledgerline/platform/intake-log/kafka/topic-watermarks';
import { pause } from '@ledgerline/platform/log/backoff';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { Pool } from 'pg';
import { checkOffset } from './offset-faults';

interface Ends {
  readonly pool: Pool;
  readonly topic: string;
  readonly watermarks: TopicWatermarks;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

const EVERY_MS = 1_000;

/** Records every second where the partitions of the topic end, so that what is not copied yet is known everywhere. */
export async function followEnds(ends: Ends): Promise<void> {
  const outage = new OutageLog(ends.logger, {
    began: 'it is unknown what is to be copied from Kafka; trying again',
    ended: 'it is known again what is to be copied from Kafka',
  });
  while (!ends.signal.aborted) {
    try {
      await followOnce(ends);
      outage.succeeded();
    } catch (error) {
      outage.failed(error);
    }
    await pause(EVERY_MS, ends.signal);
  }
}

async function followOnce({ pool, topic, watermarks, logger }: Ends): Promise<void> {
  const [row] = await run<{ now: Date }>(pool, sql`select clock_timestamp() as now`);
  const copied = await readNextOffsets(pool, topic); // before the ends, which are at or behind them
  const ends = await watermarks.all();
  for (const one of ends) await checkOffset({ pool, topic, logger }, copied.get(one.partition) ?? 0, one);
  await noteEnds(pool, topic, ends, row?.now ?? new Date());
}
