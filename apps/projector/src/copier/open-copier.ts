import type { Settings } from '@ledgerline/platform/config/settings';
import { openPool } from '@ledgerline/platform/database/pool';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { loadHitTopic } from '@ledgerline/platform/intake-log/intake-sender.factory';
import { useTopic } from '@ledgerline/platform/intake-log/kafka/topic-offsets';
import type { Logger } from '@ledgerline/platform/logging/logger';
import type { Metrics } from '@ledgerline/platform/metrics/metrics';
import type { StoreCheck } from '@ledgerline/platform/processes/store-checks';
import { Copier } from './copier';
import { countCopied } from './copier-metrics';

/** What copies hits while this process runs. */
export interface StoppableCopier {
  start(): void;
  /** Whether what is to be copied can be read. */
  readonly checks: readonly StoreCheck[];
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

const NOTHING: StoppableCopier = { start: () => undefined, checks: [], stop: () => Promise.resolve() };

/** A process that hangs inside a transaction loses it after a few seconds, so that another one can take over. */
const POOL = { name: 'copier', max: 3, pipeline: true, idleInTransactionTimeoutMs: 5_000 };

/** The copier of an installation with Kafka. The log must exist. @throws StartFailure when Kafka cannot serve */
export async function openCopier(
  { kafka: settings, databaseUrl }: Pick<Settings, 'kafka' | 'databaseUrl'>,
  log: Pick<IntakeLog, 'partitions'>,
  metrics: Metrics,
  logger: Logger,
): Promise<StoppableCopier> {
  const pool = openPool({ ...POOL, url: databaseUrl });
  const onCopied = countCopied(metrics);
  const partitions = await log.partitions();
  const topic = settings && (await loadHitTopic(settings, 'copier', partitions));
  await useTopic(pool, topic?.name ?? null);
  if (topic === undefined) {
    await pool.end();
    return NOTHING;
  }
  const copier = new Copier({ topic, pool, partitions, logger, onCopied });
  return {
    start: () => copier.start(),
    checks: [{ store: 'kafka', operation: 'read', check: () => copier.probe() }],
    stop: async () => {
      await copier.stop();
      await pool.end();
    },
  };
}
