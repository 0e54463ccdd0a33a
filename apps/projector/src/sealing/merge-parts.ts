import type { SessionChunk } from '@ledgerline/contracts/read-models/session-days';
import { decodePart, keysOf, liveRows, NO_KEYS, type PackedPart } from '@ledgerline/aggregation/aggregation';
import { transaction } from '@ledgerline/platform/database/pool';
import type { Pool, PoolClient } from 'pg';
import {
  countUnlisted,
  type DayAsPacked,
  encodedPart,
  keysAt,
  type ListedPart,
  listParts,
  readPart,
  type SealableDay,
  WRITE_PARTS,
  writeParts,
} from './stored-parts';

/** When sessions of open days are packed, and their parts merged; in sessions. */
export interface PartsRule {
  /** So many have changed since. Parts of up to so many are of the first tier; of each further one, of `ofTier` times as many. */
  readonly least: number;
  /** A part that is not smaller is left alone. */
  readonly largest: number;
  /** So many of the newest parts that are smaller than the next tier are merged. */
  readonly ofTier: number;
}

const READ = 'begin isolation level repeatable read read only';

/** Merges the newest parts of a day, if they are many. */
export async function mergeParts(pool: Pool, of: SealableDay, rule: PartsRule): Promise<void> {
  const read = await transaction(pool, (client) => readParts(client, of, rule), READ);
  if (!read) return;
  const { some, parts } = read;
  const live = liveRows(some.map(keysOf));
  const chunks: SessionChunk[] = [];
  const [keys, gone]: [Uint8Array[], Uint8Array[]] = [[], []];
  for (const [nth, part] of some.entries()) {
    const places = live[nth] ?? new Int32Array();
    const own = keysOf(part);
    chunks.push(decodePart(part, of.day, places));
    keys.push(keysAt(own.keys, places));
    gone.push(own.gone);
  }
  const isOldest = some.length === parts.length;
  const all = { keys: Buffer.concat(keys), gone: isOldest ? NO_KEYS : Buffer.concat(gone) };
  const packed = { instead: parts.slice(0, some.length), parts: [await encodedPart(chunks, of.day, all)] };
  await transaction(pool, (client) => writeParts(client, of, read, packed), WRITE_PARTS);
}

async function readParts(
  client: PoolClient,
  of: SealableDay,
  rule: PartsRule,
): Promise<(DayAsPacked & { readonly some: readonly PackedPart[] }) | undefined> {
  const parts = await listParts(client, of);
  const chosen = newestToMerge(parts, rule);
  if (chosen.length === 0) return undefined;
  const unlisted = await countUnlisted(client, of);
  if (unlisted === undefined) return undefined;
  const some: PackedPart[] = [];
  for (const part of chosen) some.push(await readPart(client, of, part));
  return { parts, listed: [], unlisted, some };
}

/** The parts of the highest tier of which there are enough, with all that are smaller. */
function newestToMerge(parts: readonly ListedPart[], { least, largest, ofTier }: PartsRule): readonly ListedPart[] {
  for (let below = largest; below > least; below /= ofTier) {
    const end = parts.findIndex(({ size }) => size >= below);
    const some = end < 0 ? parts : parts.slice(0, end);
    if (some.length >= ofTier) return some;
  }
  return [];
}
