import type { GroupSchema } from '@ledgerline/contracts/read-models/registry';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { type Difference, compareTables, pairsOf } from '../../apps/projector/src/rebuild/compare-versions';

/** Compares all tables of two versions of a group, row for row; nothing = they are equal. */
export const compareVersions = (
  on: Queryable,
  { name, builds }: Pick<GroupSchema, 'name' | 'builds'>,
  before: number,
  after: number,
): Promise<Difference[]> =>
  compareTables(
    on,
    builds.flatMap((model) => pairsOf(name, model, before, after)),
  );
