import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { pendingVersion, readLayout } from '@ledgerline/platform/table-versions/group-layout';
import { openLongRunningPool } from '../open-pool';
import type { BoundGroup } from '../runner/bound-group';
import { packAll } from '../packing/pack-rows';
import { changeLayout } from '../runner/change-layout';
import { liveVersion, versionToFill, withVersionsLock } from '../runner/live-version';
import { withThose } from '../runner/plan-tables';
import { hasKeptCounts } from '../runner/run-packing';
import { createIndexes, dropUnused, vacuumVersion } from '../runner/version-tables';
import { hasSealedDays, sealDays } from '../sealing/seal-days';
import { countParked, reviseVersions } from '../runner/parked-events';
import { alone } from './alone';
import { catchUp, NotRebuilt, RebuiltElsewhere, type CatchUp, type OnProgress } from './catch-up';
import { compareTexts } from './compare-texts';
import { comparableTables, compareTables } from './compare-versions';
import type { Difference } from './difference';
import { flipTo } from './flip';
import { dropVersions, withoutPrevious } from './previous-version';
import { whileLiveIsHeld, type Held } from './while-live-is-held';

export interface RebuildOptions {
  readonly group: BoundGroup;
  /** Some of its tables; what changes together with them is rebuilt, too. Absent = all. */
  readonly tables?: readonly ReadModel[];
  /** One that was begun with them. */
  readonly version?: number;
  readonly onProgress?: OnProgress;
  readonly signal?: AbortSignal;
  /** Events per transaction; fewer than that are left to catch up when the projector has to wait. */
  readonly batch?: number;
  /** Whether the new tables answer if they equal the old ones, or are only compared and dropped. */
  readonly flip: boolean;
  /** Whether they answer although rows differ: the log is right as it is. */
  readonly accept?: boolean;
  /** Called before tables answer of which rows differ. */
  readonly onAccept?: (differences: readonly Difference[]) => Promise<void>;
}

export interface RebuildResult {
  readonly version: number;
  /** Undefined if nothing was compared: the log was replaced, or the live tables have more partitions or mean something else. */
  readonly differences: readonly Difference[] | undefined;
  /** Texts that were changed in the dictionary, if they were mended: what was in it, and what the log says. */
  readonly mended: Difference | undefined;
  readonly flipped: boolean;
  /** The most events that were caught up at once while the projector had to wait. */
  readonly heldUp: number;
  /** Duration of the switch, ms. */
  readonly flipMs: number;
}

/** A version with the tables that are to answer. */
interface Filling extends CatchUp {
  readonly models: readonly ReadModel[];
}

/**
 * Fills tables beside those that answer, from the beginning of the log, and compares both at the same position. Does not
 * interrupt anything: the projector waits for less than a batch, queries never.
 */
export async function rebuild(options: RebuildOptions): Promise<RebuildResult> {
  const { group, onProgress, flip, accept = false, batch, signal } = options;
  return alone(group, async () => {
    await assertNothingParked(group, await liveVersion(group.pool, group));
    group.dictionary?.noteChanged({ mends: flip });
    const { version, models } = await begin(options);
    const filling = { group, version, models, batch, signal };
    await catchUp({ ...filling, onProgress });
    await assertNothingParked(group, version);
    if (flip) await finish(filling);
    const { result: ofTables, heldUp } = await compareWithLive({ ...filling, onProgress });
    const texts = await compareTexts(group);
    if (texts.mended) await reviseVersions(group.pool, group.name, null); // of both versions, whichever answers
    // no new row has the id of a text that was not read again
    const differences = texts.changed && !flip ? [texts.changed, ...(ofTables ?? [])] : ofTables;
    const flipped = flip && (accept || differences === undefined || differences.length === 0);
    if (flipped && differences && differences.length > 0) await options.onAccept?.(differences);
    const turned = flipped ? await flipTo(filling) : { result: 0, heldUp: 0 };
    if (!flipped) await dropVersions(group, (layout) => layout);
    return {
      version,
      differences,
      mended: texts.mended,
      flipped,
      flipMs: turned.result,
      heldUp: Math.max(heldUp, turned.heldUp),
    };
  });
}

/** Events that an operator has accepted as left out are no reason: every version leaves them out. @throws NotRebuilt */
async function assertNothingParked({ pool, name, log }: BoundGroup, version: number): Promise<void> {
  const parked = await countParked(pool, name, version, await log.epoch());
  if (parked === 0) return;
  const what = `Parked events of ${name} version ${version}: ${parked}`;
  throw new NotRebuilt(`${what}. Retry or accept them before a rebuild (npm run projections -- parked list).`);
}

/** After filling: maintaining the indexes row by row would cost far more. Days are packed while Postgres vacuums. */
async function finish({ group, version, models, signal }: Filling): Promise<void> {
  if (hasKeptCounts({ builds: models }))
    await packAll({ pool: group.pool, schema: schemaOf(group.name, version), ...(signal && { signal }) });
  await createIndexes(group.pool, group, version, models);
  await Promise.all([
    vacuumVersion(group.pool, group, version, models),
    ...(hasSealedDays({ builds: models }) ? [seal(group, version)] : []),
  ]);
}

/** All days that are over, so that no question becomes slower by the switch. */
async function seal({ pool, name }: BoundGroup, version: number): Promise<void> {
  const { failed, error } = await sealDays({ pool, schema: schemaOf(name, version), quietMs: 0 });
  if (failed > 0) throw new Error(`${failed} days of sessions could not be sealed`, { cause: error });
}

/** A rebuild that is to answer drops what is kept from before. @throws RebuiltElsewhere if its version is not pending any more */
async function begin({ group, tables = group.builds, version: begun, flip }: RebuildOptions) {
  const models = withThose(group, tables);
  if (begun !== undefined) {
    const now = await readLayout(group.pool, group.name);
    if (!now || pendingVersion(now) !== begun)
      throw new RebuiltElsewhere(`Version ${begun} of ${group.name} is not pending any more.`);
    return { version: begun, models };
  }
  return withVersionsLock(group.pool, async (client) => {
    const before = await readLayout(client, group.name);
    const layout = await changeLayout(client, group.name, (now) => (flip ? withoutPrevious(now, models) : now));
    // one that was interrupted goes on
    const isBegun = (begunVersion: number, live: number) =>
      begunVersion > live && begunVersion !== before?.previous?.version;
    const version = await versionToFill(client, group, group.log, models, isBegun);
    await dropUnused(client, group, layout, version);
    const isPending = ({ name }: ReadModel) => layout.tables[name]?.pending === version;
    return { version, models: group.builds.filter((model) => models.includes(model) || isPending(model)) };
  });
}

/** Brings both versions to one position, takes a snapshot of both, and releases the live one before the comparison. */
async function compareWithLive(filling: Filling): Promise<Held<Difference[] | undefined>> {
  const { group, models, version } = filling;
  const comparing = openLongRunningPool(group.pool);
  const snapshot = await comparing.connect();
  try {
    const { result: pairs, heldUp } = await whileLiveIsHeld(filling, async ({ sameLog, ownOnly }) => {
      await run(snapshot, sql`begin isolation level repeatable read read only`);
      return sameLog && ownOnly ? comparableTables(snapshot, group, models, version) : [];
    });
    return { result: pairs.length === 0 ? undefined : await compareTables(snapshot, pairs), heldUp };
  } finally {
    snapshot.release(true); // ends its transaction
    await comparing.end();
  }
}
