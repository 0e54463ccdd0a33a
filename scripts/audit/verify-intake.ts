import { openPool } from '@ledgerline/platform/database/pool';
import { describeSegment } from '@ledgerline/platform/intake-log/segment-chain';
import { verifyIntakeLog, type SegmentsVerdict } from '@ledgerline/platform/intake-log/verify-segments';
import { SingleBar } from 'cli-progress';

/** Walks the hash chains of the intake log; a bar on stderr shows how far it is. */
export async function verifyIntake(databaseUrl: string): Promise<SegmentsVerdict> {
  const pool = openPool({ url: databaseUrl, name: 'audit', max: 2, statementTimeoutMs: 600_000 });
  const bar = new SingleBar({ format: '{bar} {value} segments · {duration_formatted}', hideCursor: true });
  bar.start(1, 0);
  try {
    return await verifyIntakeLog(pool, (segments) => {
      bar.setTotal(Math.max(segments, 1));
      bar.update(segments);
    });
  } finally {
    bar.stop();
    await pool.end();
  }
}

/** A verdict in words, for people. */
export function describeIntakeVerdict({ firstInvalid, segments, events, withoutPayload }: SegmentsVerdict): string {
  if (firstInvalid) return `NOT VALID: the intake log, ${describeSegment(firstInvalid)}.`;
  const left = withoutPayload === 0 ? '' : `, ${withoutPayload} of them without payload, proven by their hashes alone`;
  return `VALID: the chains of the intake log hold over ${events} events in ${segments} segments${left}.`;
}
