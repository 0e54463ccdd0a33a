import { pause } from '@ledgerline/platform/log/backoff';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import type { BoundGroup } from './bound-group';
import { resolveTables } from './resolve-tables';
import { countDays, sealDays } from '../sealing/seal-days';
import type { SealingObserver } from '../sealing/sealing-metrics';

interface SealingLoop {
  readonly group: BoundGroup;
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly observer?: SealingObserver | undefined;
}

const EVERY_MS = 60_000;
/** After so long without a change a day is sealed. */
const QUIET_MS = 5 * 60_000;

/** Seals days of the live version of a group at start and every minute, until the signal. */
export async function runSealing(loop: SealingLoop): Promise<void> {
  const { logger, signal } = loop;
  const outage = new OutageLog(logger, {
    began: 'days of sessions cannot be sealed; trying again',
    ended: 'days of sessions are sealed again',
  });
  while (!signal.aborted) {
    try {
      await pass(loop);
      outage.succeeded();
    } catch (error) {
      outage.failed(error);
    }
    await pause(EVERY_MS, signal);
  }
}

async function pass({ group, logger, signal, observer }: SealingLoop): Promise<void> {
  const { pool, share } = group;
  const schema = (await resolveTables(pool, group, 'live')).tables.state;
  const begunAt = performance.now();
  const onDay = observer?.onDay;
  const { sealed, failed, error } = await sealDays({
    ...{ pool, schema, signal, quietMs: QUIET_MS },
    ...(onDay && { onDay }),
  });
  const seconds = Math.round((performance.now() - begunAt) / 100) / 10;
  if (sealed > 0) logger.info({ days: sealed, seconds }, 'days of sessions were sealed');
  observer?.onDays(share.place, await countDays(pool, schema));
  if (failed > 0) throw new Error(`${failed} days of sessions could not be sealed`, { cause: error });
}
