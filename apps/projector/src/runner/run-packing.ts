import { keptCounts } from '@ledgerline/contracts/read-models/kept-counts';
import { schemaOf, type GroupSchema } from '@ledgerline/contracts/read-models/groups';
import { declarationOf, readStoredTables } from '@ledgerline/platform/database/table-declaration';
import { pause } from '@ledgerline/platform/log/backoff';
import { packRows } from '../packing/pack-rows';
import type { PackingObserver } from '../packing/packing-metrics';
import type { BoundGroup } from './bound-group';
import { repeatWork, type GroupWork } from './repeat-work';
import { isSameTable } from './resolve-tables';

interface PackingLoop extends GroupWork {
  readonly observer?: PackingObserver | undefined;
}

const EVERY_MS = 1_000;
/** So many times as long as a pass took that found nothing passes until the next one. */
const REST = 20;
const OUTAGE = {
  began: 'kept counts cannot be packed; trying again',
  ended: 'kept counts are packed again',
};

/** Whether a group keeps counts. */
export const hasKeptCounts = ({ builds }: Pick<GroupSchema, 'builds'>): boolean => builds.includes(keptCounts);

/** Packs the kept counts of a group, of all versions that this program writes, until the signal. */
export const runPacking = (loop: PackingLoop): Promise<void> =>
  repeatWork(loop, { everyMs: EVERY_MS, ...OUTAGE }, () => pass(loop));

async function pass({ group, signal, observer }: PackingLoop): Promise<void> {
  const begunAt = performance.now();
  let [hasFound, failed, error]: [boolean, number, unknown] = [false, 0, undefined];
  for (const schema of await packedSchemas(group)) {
    const passAt = performance.now();
    const result = await packRows({ pool: group.pool, schema, signal });
    if (result.found > 0) observer?.onPass(result, performance.now() - passAt);
    hasFound ||= result.found > 0;
    failed += result.failed;
    error ??= result.failed > 0 ? result.error : undefined;
  }
  if (failed > 0) throw new Error(`The kept counts of ${failed} websites could not be packed`, { cause: error });
  if (!hasFound) await pause(REST * (performance.now() - begunAt), signal);
}

/** Also of versions that are being filled, or that answered before. */
async function packedSchemas({ pool, name }: BoundGroup): Promise<readonly string[]> {
  const own = declarationOf(keptCounts);
  const tables = await readStoredTables(pool, name);
  return tables
    .filter(({ name: table, declaration }) => table === keptCounts.name && isSameTable(declaration, own))
    .map(({ version }) => schemaOf(name, version));
}
