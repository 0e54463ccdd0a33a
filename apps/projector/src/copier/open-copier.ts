import type { Settings } from '@ledgerline/platform/config/settings';
import { endProcess } from '@ledgerline/platform/config/start-failure';
import { openPool } from '@ledgerline/platform/database/pool';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { loadHitTopic } from '@ledgerline/platform/intake-log/intake-sender.factory';
import { useTopic } from '@ledgerline/platform/intake-log/kafka/topic-offsets';
import { OpenedWhenUp } from '@ledgerline/platform/log/opened-when-up';
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

/**
 * The copier of an installation with Kafka; it begins when Kafka is there. The log must exist.
 * @throws StartFailure where Kafka cannot serve, however long one waits
 */
export async function openCopier(
  { kafka: settings, databaseUrl }: Pick<Settings, 'kafka' | 'databaseUrl'>,
  log: Pick<IntakeLog, 'partitions'>,
  metrics: Metrics,
  logger: Logger,
): Promise<StoppableCopier> {
  const pool = openPool({ ...POOL, url: databaseUrl });
  const onCopied = countCopied(metrics);
  const partitions = await log.partitions();
  await useTopic(pool, settings?.topic ?? null);
  if (settings === undefined) {
    await pool.end();
    return NOTHING;
  }
  let isStarted = false;
  const connect = async () => {
    const topic = await loadHitTopic(settings, 'copier', partitions);
    const copier = new Copier({ topic, pool, partitions, logger, onCopied });
    if (isStarted) copier.start();
    return { start: () => copier.start(), probe: () => copier.probe(), close: () => copier.stop() };
  };
  const opened = await OpenedWhenUp.open(connect, { name: 'Kafka', logger, end: endProcess });
  return {
    start: () => {
      isStarted = true;
      if (opened.isThere) opened.get().start();
    },
    checks: [{ store: 'kafka', operation: 'read', check: async () => opened.get().probe() }],
    stop: async () => {
      await opened.close();
      await pool.end();
    },
  };
}
