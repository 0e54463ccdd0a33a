import type { Pool } from 'pg';
import { repeatWork } from '@ledgerline/platform/processes/periodic-work';
import { RebuiltElsewhere } from '../rebuild/catch-up';
import { erasedKinds, hasVisits } from '../runner/erasure-rules';
import type { GroupWork } from '../runner/group-work';
import { ExpirationDecisions } from './decide-expirations';
import { DecidedErasures, type ErasureStore } from './decided-erasures';
import { eraseVisits } from './erase-visits';
import { rewriteFiles } from './rewrite-files';
import type { PayloadRewriter } from './rewrite-payloads';

const EVERY_MS = 2_000;
const REWRITE_EVERY_MS = 3_000;
const DECIDE_EVERY_MS = 60_000;
const OUTAGE = { began: 'visits cannot be erased; trying again', ended: 'visits are erased again' };

/** Takes erased visits out of the tables of a group, at start and as they are erased, until the signal. */
export const runErasing =
  (store: ErasureStore) =>
  ({ group, logger, signal }: GroupWork): Promise<void> => {
    if (!hasVisits(group)) return Promise.resolve();
    const decided = new DecidedErasures(store);
    const expirations = erasedKinds(group.name).includes('expired') ? new ExpirationDecisions(store) : undefined;
    let decideAt = 0;
    return repeatWork({ logger, signal }, { everyMs: EVERY_MS, ...OUTAGE }, async () => {
      try {
        if (expirations && Date.now() >= decideAt) {
          await expirations.decide(group, Date.now());
          decideAt = Date.now() + DECIDE_EVERY_MS;
        }
        const erased = await eraseVisits(group, decided);
        if (erased.length > 0) logger.info({ rules: erased.length }, 'erased visits are out of the tables');
      } catch (error) {
        if (!(error instanceof RebuiltElsewhere)) throw error; // tried again, as a rebuild ends
      }
    });
  };

const REWRITING = {
  began: 'payloads of the log cannot be rewritten; trying again',
  ended: 'payloads are rewritten again',
};

/** Rewrites payloads of the intake log that have erased hits, until the signal; beside one group of the first read store. */
export const runRewriting =
  (rewriter: PayloadRewriter) =>
  ({ group, logger, signal }: GroupWork): Promise<void> => {
    if (group.name !== 'websites' || group.share.place !== 1) return Promise.resolve();
    return repeatWork({ logger, signal }, { everyMs: REWRITE_EVERY_MS, ...REWRITING }, async () => {
      const payloads = await rewriter.rewrite();
      if (payloads > 0) logger.info({ payloads }, 'payloads of the intake log were rewritten without erased hits');
    });
  };

const FILES_EVERY_MS = 3_600_000;
const FILES = { began: 'tables cannot be rewritten; trying again', ended: 'tables are rewritten again' };

/** Rewrites tables with dead rows of what was erased, until the signal; those of the main database beside the first read store. */
export const runFileRewriting =
  (main: Pool) =>
  ({ group, logger, signal }: GroupWork): Promise<void> => {
    if (group.name !== 'websites') return Promise.resolve();
    const pools = group.share.place === 1 ? [main, group.pool] : [group.pool];
    return repeatWork({ logger, signal }, { everyMs: FILES_EVERY_MS, ...FILES }, async () => {
      for (const pool of pools) {
        const tables = await rewriteFiles(pool, Date.now(), signal);
        if (tables > 0) logger.info({ tables }, 'tables were rewritten without dead rows');
      }
    });
  };
