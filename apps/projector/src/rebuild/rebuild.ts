import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { schemaOf } from '@ledgerline/contracts/read-models/registry';
import { run } from '@ledgerline/platform/database/pool';
import { readStoredTables } from '@ledgerline/platform/database/read-model-tables';
import { sql } from '@ledgerline/platform/database/sql';
import { pendingVersion, readLayout } from '@ledgerline/platform/table-versions/live-tables';
import { hasRollups, compactAll } from '../compaction/compact-rollups';
import { openLongRunningPool } from '../open-pool';
import type { BoundGroup } from '../runner/bound-group';
import { readCursors, resetCheckpoints } from '../runner/checkpoint';
import { countParked, reviseVersions } from '../runner/parked-events';
import { hasSealedDays } from '../sealing/seal-days';
import { changeLayout, partialFlip, wholeFlip, withoutPrevious, withVersionsLock } from '../versions/change-layout';
import { liveVersion, versionToFill } from '../versions/live-version';
import { replacesLiveVersion, withThose } from '../versions/program-tables';
import { createIndexes, dropOthers, dropUnused, dropVersions, vacuumVersion } from '../versions/version-tables';
import {
  catchUp,
  NotRebuilt,
  readLive,
  RebuiltElsewhere,
  whileLiveIsHeld,
  type CatchUp,
  type LiveHoldResult,
  type OnProgress,
  type RebuildStageProgress,
} from './catch-up';
import { type ComparedTable, type Difference, comparableTables, compareTables, compareTexts } from './compare-versions';
import { fillFromStored, type Revisions } from './fill-from-stored';
import { fillInBulk, sealInBulk } from './fill-in-bulk';

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
  /** True if the new tables answer if they equal the old ones, or are only compared and dropped. */
  readonly flip: boolean;
  /** True if they answer although rows differ: the log is right as it is. */
  readonly accept?: boolean;
  /** For how long what answered before is written along after a switch of the whole group, ms; a day by default. */
  readonly keepMs?: number | undefined;
  /** Called before tables answer of which rows differ. */
  readonly onAccept?: (differences: readonly Difference[]) => Promise<void>;
}

export interface RebuildResult {
  readonly version: number;
  /** Undefined if nothing was compared: the live tables have nothing of the log, more partitions, or mean something else. */
  readonly differences: readonly Difference[] | undefined;
  readonly compared: readonly ComparedTable[];
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
 * Fills tables beside those that answer, from the beginning of the log, or from what is stored where an upgrade needs
 * kept counts alone, and compares both at the same position. Does not interrupt anything: the projector waits for less
 * than a batch, queries never.
 */
export async function rebuild(options: RebuildOptions): Promise<RebuildResult> {
  const { group, flip, signal } = options;
  return withRebuildLock(group, async () => {
    await assertNothingParked(group, await liveVersion(group.pool, group));
    group.dictionary?.noteChanged({ mends: flip });
    const begun = await begin(options);
    try {
      const isUpgrade = options.version !== undefined;
      const needsLog = !isUpgrade || begun.models.length > 1 || !hasRollups({ builds: begun.models });
      return await fillAndFlip(options, { ...options, ...begun }, needsLog);
    } catch (error) {
      const isStopped = signal?.aborted && options.version === undefined;
      if (isStopped) await dropVersions(group, (layout) => layout);
      throw error;
    }
  });
}

async function fillAndFlip(options: RebuildOptions, all: Filling, needsLog: boolean): Promise<RebuildResult> {
  const { flip, accept = false, keepMs, onAccept } = options;
  const { group, version, models, batch, signal, onProgress } = all;
  const filling = { group, version, models, batch, signal };
  const stored = await fillToHead({ ...filling, onProgress }, flip, needsLog);
  const compared: ComparedTable[] = [];
  const onTable = (table: ComparedTable) => {
    signal?.throwIfAborted();
    compared.push(table);
  };
  const { result: ofTables, heldUp } = await compareWithLive({ ...filling, onProgress }, onTable);
  const fillFromLog = async () => {
    await resetCheckpoints(group.pool, { group: group.name, version });
    return fillAndFlip(options, all, true);
  };
  if (stored && hasSome(ofTables)) return fillFromLog();
  const texts = await compareTexts(group);
  if (texts.mended) await reviseVersions(group.pool, group.name, null); // of both versions, whichever answers
  // no new row has the id of a text that was not read again
  const differences = texts.changed && !flip ? [texts.changed, ...(ofTables ?? [])] : ofTables;
  const flipped = flip && (accept || !hasSome(differences));
  if (flipped && hasSome(differences)) await onAccept?.(differences);
  const turned = flipped ? await flipTo(filling, stored, keepMs) : { result: 0, heldUp: 0 };
  if (turned.result === undefined) return fillFromLog();
  if (!flipped) await dropVersions(group, (layout) => layout);
  return {
    version,
    differences,
    compared,
    mended: texts.mended,
    flipped,
    flipMs: turned.result,
    heldUp: Math.max(heldUp, turned.heldUp),
  };
}

/** Fills the tables up to the newest event. Returns what of it came out of stored tables; undefined = all is of the log. */
async function fillToHead(filling: Filling, flip: boolean, needsLog: boolean) {
  const { group, version } = filling;
  const live = await readLive(group.pool, group);
  const stored = needsLog ? undefined : await fillFromStored({ ...filling, live });
  if (group.name === 'websites' && !stored) await fillInBulk({ ...filling, live, mends: flip });
  await catchUp(filling);
  await assertNothingParked(group, version);
  if (flip) await finishFilling(filling);
  return stored;
}

const hasSome = <T>(list: readonly T[] | undefined): list is readonly T[] => list !== undefined && list.length > 0;

/** Events that an operator has accepted as left out are no reason: every version leaves them out. @throws NotRebuilt */
export async function assertNothingParked({ pool, name, log }: BoundGroup, version: number): Promise<void> {
  const parked = await countParked(pool, name, version, await log.epoch());
  if (parked === 0) return;
  const what = `Parked events of ${name} version ${version}: ${parked}`;
  throw new NotRebuilt(`${what}. Retry or accept them before a rebuild (npm run projections -- parked list).`);
}

/** After filling: maintaining the indexes row by row would cost far more. Days are packed while Postgres vacuums. */
export async function finishFilling({ group, version, models, signal, onProgress }: Filling): Promise<void> {
  const report = (stage: RebuildStageProgress['stage']) => onProgress?.({ stage, done: 0, total: 0 });
  const index = async () => {
    report('indexing');
    await createIndexes(group.pool, group, version, models);
    signal?.throwIfAborted();
    const seals = hasSealedDays({ builds: models });
    if (seals) report('sealing');
    await Promise.all([
      vacuumVersion(group.pool, group, version, models),
      ...(seals ? [sealInBulk(group, version)] : []),
    ]);
  };
  const pack = { pool: group.pool, schema: schemaOf(group.name, version), ...(signal && { signal }) };
  await Promise.all([index(), ...(hasRollups({ builds: models }) ? [compactAll(pack)] : [])]);
  signal?.throwIfAborted();
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

/**
 * Tells how the rows of a version that is filled differ from those that answer; none where these cannot be compared.
 */
export async function compareFilled(filling: Filling): Promise<readonly Difference[]> {
  const { result = [] } = await compareWithLive(filling, () => filling.signal?.throwIfAborted());
  const { changed } = await compareTexts(filling.group);
  return changed ? [changed, ...result] : result;
}

/** Makes a filled version answer once it has reached the position of the live one, which is kept for a day. */
export const switchTo = (filled: Filling): Promise<unknown> => flipTo(filled, undefined, undefined);

/** Brings both versions to one position, takes a snapshot of both, and releases the live one before the comparison. */
async function compareWithLive(
  filling: Filling,
  onTable: (compared: ComparedTable) => void,
): Promise<LiveHoldResult<Difference[] | undefined>> {
  const { group, models, version } = filling;
  const comparing = openLongRunningPool(group.pool);
  const snapshot = await comparing.connect();
  try {
    const { result: pairs, heldUp } = await whileLiveIsHeld(filling, async ({ isBegun, ownOnly }) => {
      await run(snapshot, sql`begin isolation level repeatable read read only`);
      return isBegun && ownOnly ? comparableTables(snapshot, group, models, version) : [];
    });
    filling.onProgress?.({ stage: 'comparing', done: 0, total: pairs.length });
    return { result: pairs.length === 0 ? undefined : await compareTables(snapshot, pairs, onTable), heldUp };
  } finally {
    snapshot.release(true); // ends its transaction
    await comparing.end();
  }
}

/**
 * Makes tables of a version answer, at the position of those that did. Returns how long it took, ms; undefined where
 * these were repaired since the version was filled from them.
 */
async function flipTo(
  filled: Filling,
  revisions: Revisions | undefined,
  keepMs: number | undefined,
): Promise<LiveHoldResult<number | undefined>> {
  const { group, version, models } = filled;
  const flipped = await whileLiveIsHeld(filled, async (live, client) => {
    const began = performance.now();
    const now = await readCursors(client, { group: group.name, version: live.version });
    if (revisions && [...now].some(([partition, { parkedRevision }]) => revisions.get(partition) !== parkedRevision))
      return undefined;
    const stored = await readStoredTables(client, group.name);
    await changeLayout(client, group.name, (layout) =>
      replacesLiveVersion(group, models)
        ? wholeFlip(group, layout, stored, version, timeAfter(keepMs))
        : partialFlip(layout, stored, models, version),
    );
    if (!replacesLiveVersion(group, models)) {
      // from now on they advance under the checkpoints of the live version
      const gone = sql`delete from projection_checkpoints where projection_group = ${group.name} and version = ${version}`;
      await run(client, gone);
    }
    return performance.now() - began;
  });
  if (flipped.result !== undefined && !replacesLiveVersion(group, models)) await dropOthers(group, version, models);
  return flipped;
}

const DAY_MS = 86_400_000;

/** ISO 8601. */
export const timeAfter = (ms = DAY_MS): string => new Date(Date.now() + ms).toISOString();

/** Returns what fills or drops tables of a group beside those that answer, one at a time. @throws RebuiltElsewhere */
export async function withRebuildLock<T>(group: BoundGroup, work: () => Promise<T>): Promise<T> {
  const client = await group.pool.connect();
  try {
    const name = `ledgerline rebuild ${group.name}`;
    const [row] = await run<{ mine: boolean }>(client, sql`select pg_try_advisory_lock(hashtext(${name})) as mine`);
    if (!row?.mine) throw new RebuiltElsewhere(`The group ${group.name} is being rebuilt already.`);
    return await work();
  } finally {
    await run(client, sql`select pg_advisory_unlock_all()`).catch(() => undefined); // TRICKY: the server ends sessions later
    client.release(true);
  }
}
