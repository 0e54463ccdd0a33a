import { repeatWork, type GroupWork } from './repeat-work';
import { resolveTables } from './resolve-tables';
import { countDays, sealDays } from '../sealing/seal-days';
import type { SealingObserver } from '../sealing/sealing-metrics';

interface SealingLoop extends GroupWork {
  readonly observer?: SealingObserver | undefined;
}

const EVERY_MS = 60_000;
/** After so long without a change a day is sealed. */
const QUIET_MS = 5 * 60_000;
const OUTAGE = {
  began: 'days of sessions cannot be sealed; trying again',
  ended: 'days of sessions are sealed again',
};

/** Seals days of the live version of a group at start and every minute, until the signal. */
export const runSealing = (loop: SealingLoop): Promise<void> =>
  repeatWork(loop, { everyMs: EVERY_MS, ...OUTAGE }, () => pass(loop));

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
