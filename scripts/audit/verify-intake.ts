import { SingleBar } from 'cli-progress';
import type { Pool } from 'pg';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { openPool } from '@ledgerline/platform/database/pool';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { readTrustedKeys } from '@ledgerline/platform/event-store/head-signer';
import { type PublicKeys, verifySignature } from '@ledgerline/platform/event-store/head-statement';
import { readEpoch } from '@ledgerline/platform/intake-log/intake-log';
import { findUndone, RewriteReceipts, type SegmentRewrite } from '@ledgerline/platform/intake-log/rewrite-receipts';
import { describeInvalidSegment } from '@ledgerline/platform/intake-log/segment-chain';
import {
  readSignedHeads,
  restartIntakeHeads,
  SignedHeadsLost,
  type SignedIntakeHeads,
} from '@ledgerline/platform/intake-log/signed-intake-heads';
import { LogTampered } from '@ledgerline/platform/log/log-reader';
import type { Installation } from '../migrate-store/installation';
import { readKeptIntakeHeads } from './kept-proofs';
import { type SegmentsVerdict, verifyIntakeLog } from './verify-segments';

interface IntakeVerdict extends SegmentsVerdict {
  /** The newest heads that were signed, in the event store or in a file. */
  readonly signed?: SignedIntakeHeads | undefined;
  /** The fault of the signed heads themselves. */
  readonly fault?: string;
}

const NOTHING: SegmentsVerdict = { valid: false, segments: 0, events: 0 };

/**
 * Walks the hash chains of the intake log, which must run through the newest signed heads and through those in the files;
 * a bar on stderr shows how far it is. Without keys, AUDIT_SIGNING_KEY is trusted, and what it vouches for.
 */
export async function verifyIntake(
  installation: Installation,
  { files, keys }: { files: readonly string[]; keys: PublicKeys },
): Promise<IntakeVerdict> {
  const pool = openPool({ url: installation.databaseUrl, name: 'audit', max: 2, statementTimeoutMs: 600_000 });
  try {
    return await withEventStore(installation, (store) => verifyWith(store, pool, installation, { files, keys }));
  } finally {
    await pool.end();
  }
}

async function verifyWith(
  store: EventStore,
  pool: Pool,
  { signingKey }: Installation,
  { files, keys }: { readonly files: readonly string[]; readonly keys: PublicKeys },
): Promise<IntakeVerdict> {
  try {
    const newest = await readSignedHeads(store);
    const trusted = keys.size > 0 ? keys : (await readTrustedKeys(pool, signingKey))(0);
    const all = [...(newest ? [newest.signed] : []), ...files.map((path) => readKeptIntakeHeads(path, trusted))];
    const fault = faultOf(all, trusted, await readEpoch(pool));
    if (fault !== undefined) return { ...NOTHING, fault };
    const signed = all.toSorted((a, b) => b.signedAt.localeCompare(a.signedAt))[0];
    const verdict = { ...(await walk(pool, all, new RewriteReceipts(store))), signed };
    const firstInvalid = verdict.valid ? await findUndone(pool, store, await readEpoch(pool)) : undefined;
    return firstInvalid ? { ...verdict, valid: false, firstInvalid } : verdict;
  } catch (error) {
    if (error instanceof LogTampered || error instanceof SignedHeadsLost) return { ...NOTHING, fault: error.message };
    throw error;
  }
}

function faultOf(all: readonly SignedIntakeHeads[], keys: PublicKeys, epoch?: string): string | undefined {
  const forged = all.find((signed) => verifySignature(signed, keys) !== 'valid');
  if (forged)
    return `the heads of the intake log that were signed at ${forged.signedAt} name ${forged.keyId}, which is no trusted key, or did not sign them.`;
  const other = all.find((signed) => signed.epoch !== epoch);
  return other && `the intake log is another one than that whose heads were signed at ${other.signedAt}.`;
}

async function walk(
  pool: Pool,
  all: readonly SignedIntakeHeads[],
  receipts: RewriteReceipts,
): Promise<SegmentsVerdict> {
  const bar = new SingleBar({ format: '{bar} {value} segments · {duration_formatted}', hideCursor: true });
  bar.start(1, 0);
  try {
    const onProgress = (segments: number) => {
      bar.setTotal(Math.max(segments, 1));
      bar.update(segments);
    };
    const isReceipted = (rewrite: SegmentRewrite) => receipts.isReceipted(rewrite);
    return await verifyIntakeLog(pool, { signed: all.flatMap(({ heads }) => heads), onProgress, isReceipted });
  } finally {
    bar.stop();
  }
}

/** A verdict in words, for people. */
export function describeIntakeVerdict({ fault, firstInvalid, signed, ...counts }: IntakeVerdict): string {
  if (fault !== undefined) return `NOT VALID: ${fault}`;
  if (firstInvalid)
    return `NOT VALID: the intake log, ${describeInvalidSegment(firstInvalid)}.${signed ? newestOf(signed) : ''}`;
  const { events, segments } = counts;
  const found = `the chains of the intake log hold over ${events} events in ${segments} segments`;
  if (signed) return `VALID: ${found}, and run through the heads that were signed.${newestOf(signed)}`;
  return `CONSISTENT, BUT NOT PROVEN: ${found}. No heads were signed, so events may be missing at the end.`;
}

function newestOf({ heads, signedAt, keyId, restartedAt }: SignedIntakeHeads): string {
  const events = heads.reduce((sum, { offset }) => sum + offset, 0);
  const restart =
    restartedAt === undefined
      ? ''
      : `\n  An operator had the log of ${restartedAt} signed as it was, whatever was signed before.`;
  return `\n  The newest heads name ${events} events: signed ${signedAt} with key ${keyId}.${restart}`;
}

/** Prints the newest signed heads of the intake log; `restart` = after they were signed anew. @throws StartFailure */
export async function printIntakeHeads(
  installation: Installation,
  restart: boolean,
  output: NodeJS.WritableStream,
): Promise<void> {
  if (restart) await restartHeads(installation);
  const newest = await withEventStore(installation, readSignedHeads);
  if (!newest) throw new StartFailure('No heads of the intake log are signed yet; the projector does it every minute.');
  output.write(`${JSON.stringify(newest.signed)}\n`);
}

async function restartHeads(installation: Installation): Promise<void> {
  const database = openPool({ url: installation.databaseUrl, name: 'audit', max: 1 });
  const { signingKey: key } = installation;
  try {
    await withEventStore(installation, (store) =>
      restartIntakeHeads({ store, database, key, app: 'audit' }, new Date()),
    );
  } finally {
    await database.end();
  }
}

/** Does work on the event store of an installation. @throws StartFailure where it cannot be reached */
export async function withEventStore<T>(
  { databaseUrl, eventStoreUrl }: Installation,
  work: (store: EventStore) => Promise<T>,
): Promise<T> {
  const store = await openEventStore({ databaseUrl, eventStoreUrl });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
