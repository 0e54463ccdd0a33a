import type { Pool } from 'pg';
import { insertRules } from '../runner/erasure-rules';
import { DecidedErasures, type ErasureStore } from './decided-erasures';

/** Puts all erasures in force in a read store before it is filled; expired days are once they are counted. */
export const putInForce = (readStore: Pool, store: ErasureStore): Promise<void> =>
  new DecidedErasures(store).readOn(async (decided) => {
    await insertRules(
      readStore,
      decided.filter(({ kind }) => kind !== 'expired'),
    );
  });
