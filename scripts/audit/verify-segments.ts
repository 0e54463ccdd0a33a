import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { readHeads, readPartitions } from '@ledgerline/platform/intake-log/intake-log';
import type { SegmentRewrite } from '@ledgerline/platform/intake-log/rewrite-receipts';
import {
  currentPayload,
  SegmentChain,
  segmentHeader,
  type InvalidSegment,
  type PayloadFinding,
  type SegmentHeader,
} from '@ledgerline/platform/intake-log/segment-chain';
import type { IntakeHead } from '@ledgerline/platform/intake-log/signed-intake-heads';

/** The proof of one partition or of the whole intake log. */
export interface SegmentsVerdict {
  readonly valid: boolean;
  readonly segments: number;
  readonly events: number;
  readonly firstInvalid?: InvalidSegment;
}

interface Row extends SegmentHeader {
  /** In hex, as it is now. */
  readonly found: string | null;
}

interface Head {
  readonly next_offset: string;
  readonly chain: Buffer;
}

interface VerifyOptions {
  /** Heads that were signed: the log must run through each of them. */
  readonly signed?: readonly IntakeHead[];
  /** Returns whether a receipt names a rewrite; absent = that is not asked. */
  readonly isReceipted?: (rewrite: SegmentRewrite) => Promise<boolean>;
  readonly onProgress?: (segments: number) => void;
}

/** Headers in one read; the database hashes the payloads, which never leave it. */
const PAGE = 200;

/**
 * Walks the hash chains of all partitions, one after another and in constant memory, and stops at the first place that
 * is wrong. Writers may go on meanwhile: what they add is not looked at.
 */
export async function verifyIntakeLog(
  database: Queryable,
  { signed = [], onProgress = () => undefined, isReceipted }: VerifyOptions = {},
): Promise<SegmentsVerdict> {
  const [heads, count = 0] = await Promise.all([readHeads(database), readPartitions(database)]);
  const named = [...heads.keys(), ...signed.map(({ partition }) => partition)];
  const partitions = Math.max(count, ...named.map((partition) => partition + 1));
  let total: SegmentsVerdict = { valid: true, segments: 0, events: 0 };
  for (let partition = 0; partition < partitions && total.valid; partition += 1) {
    const before = total.segments;
    const own = await verifySegments(database, partition, {
      ...(isReceipted && { isReceipted }),
      signed: signed.filter((head) => head.partition === partition),
      onProgress: (segments) => onProgress(before + segments),
    });
    total = { ...own, segments: total.segments + own.segments, events: total.events + own.events };
  }
  return total;
}

/** Walks the hash chain of one partition from its beginning. */
export async function verifySegments(
  database: Queryable,
  partition: number,
  { signed = [], onProgress = () => undefined, isReceipted = () => Promise.resolve(true) }: VerifyOptions = {},
): Promise<SegmentsVerdict> {
  const [head] = await run<Head>(
    database,
    sql`select next_offset, chain from intake_heads where partition = ${partition}`,
  );
  const walk = new SegmentWalk(partition, signed);
  if (!head) return walk.invalid({ partition, offset: 0, finding: 'head_changed' });
  const end = Number(head.next_offset);
  for (let page = await pageFrom(database, partition, -1, end); page.length > 0;) {
    for (const row of page) {
      const invalid = walk.see(row, payloadFinding(row, partition));
      if (invalid) return invalid;
      const offset = Number(row.first_offset);
      for (const rewrite of row.rewrites ?? [])
        if (!(await isReceipted({ ...rewrite, partition, offset })))
          return walk.invalid({ partition, offset, finding: 'payload_forged' });
    }
    onProgress(walk.segments);
    page = await pageFrom(database, partition, Number(page.at(-1)?.first_offset), end);
  }
  const beyond = await beyondHead(database, partition);
  return beyond === undefined ? walk.end(head) : walk.invalid({ partition, offset: beyond, finding: 'inserted' });
}

/** Writers add a segment and move the head in one transaction, so a snapshot has none above the head. */
async function beyondHead(database: Queryable, partition: number): Promise<number | undefined> {
  const [found] = await run<{ offset: string }>(
    database,
    sql`
      select s.first_offset as offset from intake_segments s join intake_heads h using (partition)
      where s.partition = ${partition} and s.first_offset >= h.next_offset order by 1 limit 1`,
  );
  return found && Number(found.offset);
}

/** Walks up a chain to the first place that is wrong. */
class SegmentWalk {
  segments = 0;
  private readonly chain: SegmentChain;
  /** The signed heads that the walk has not come to. */
  private readonly signed: IntakeHead[];

  constructor(partition: number, signed: readonly IntakeHead[]) {
    this.chain = new SegmentChain(partition);
    this.signed = signed.toSorted((a, b) => a.offset - b.offset);
  }

  /** The verdict if the chain is broken here. */
  see(row: Row, payload: PayloadFinding | undefined): SegmentsVerdict | undefined {
    const invalid = this.chain.follow(row, payload);
    if (invalid) return this.invalid(invalid);
    this.segments += 1;
    return this.passSigned();
  }

  end({ next_offset, chain }: Head): SegmentsVerdict {
    const invalid = this.chain.mismatchAt({ offset: Number(next_offset), chain });
    if (invalid) return this.invalid(invalid);
    if (this.signed.length > 0) return this.invalid(this.chain.invalid('shortened'));
    return { valid: true, ...this.counts() };
  }

  private passSigned(): SegmentsVerdict | undefined {
    const { offset, chain } = this.chain.position;
    while (this.signed[0] && this.signed[0].offset <= offset) {
      const head = this.signed.shift();
      if (head?.offset !== offset || head.chain !== chain.toString('hex'))
        return this.invalid(this.chain.invalid('rewritten', head?.offset));
    }
    return undefined;
  }

  invalid(firstInvalid: InvalidSegment): SegmentsVerdict {
    return { valid: false, ...this.counts(), firstInvalid };
  }

  private counts() {
    return { segments: this.segments, events: this.chain.position.offset };
  }
}

function payloadFinding(row: Row, partition: number): PayloadFinding | undefined {
  if (row.found === null) return 'payload_missing';
  const current = currentPayload(row, partition);
  if (!current) return 'payload_forged';
  return row.found === current.hash ? undefined : 'payload_changed';
}

function pageFrom(database: Queryable, partition: number, after: number, end: number): Promise<Row[]> {
  return run<Row>(
    database,
    sql`
      select ${segmentHeader}, encode(sha256(payload), 'hex') as found
      from intake_segments
      where partition = ${partition} and first_offset > ${after} and first_offset < ${end}
      order by first_offset limit ${PAGE}`,
  );
}
