import type { Queryable } from '@ledgerline/platform/database/pool';
import { newestStatement, readStatedHeads } from '@ledgerline/platform/event-store/head-statement';
import { waitUntil } from '../wait-until';
import { signedBy } from './laws/harness';

/** The newest head of an organization that a statement says. */
export const statedHead = async (database: Queryable, organization: string) =>
  (await readStatedHeads(database, organization, () => signedBy)).all[0] ?? null;

/** Once statement 0 is signed, events may be there. */
export const whenBegun = (database: Queryable) => waitUntil(() => newestStatement(database));
