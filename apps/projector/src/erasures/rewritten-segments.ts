import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import type { ErasureRules } from '@ledgerline/domain/erasures/erasure-rules';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { withoutEvents } from '@ledgerline/platform/intake-log/rewritten-payload';
import {
  currentPayload,
  rewriteHash,
  type SegmentHeader,
  segmentHeader,
  tampered,
} from '@ledgerline/platform/intake-log/segment-chain';
import { namesAny, unpackEvents } from '@ledgerline/platform/intake-log/segment-format';

/** A segment with a payload without erased hits. */
export interface RewrittenSegment {
  readonly partition: number;
  readonly offset: number;
  readonly payload: Buffer;
  /** One for each erasure that has hits in it, in their order; only the last one's payload is stored. */
  readonly steps: readonly Step[];
  /** The hash of the rewrite before, or of the segment. */
  readonly chain: string;
  /** The number of rewrites that it had. */
  readonly rewrites: number;
}

interface Step {
  readonly organizationId: string;
  readonly erasureId: string;
  readonly before: string;
  readonly after: string;
  readonly size: number;
  readonly hits: number;
}

interface Part {
  readonly partition: number;
  /** Payloads that name none of these ids are left as they are; undefined = all are read. */
  readonly naming: readonly string[] | undefined;
  /** Offsets: of the first event, and of the last one. */
  readonly from: number;
  readonly end: number;
}

/** Segments in memory at once. */
const PAGE = 50;

type Stored = SegmentHeader & { readonly payload: Buffer | null };

/** Reads a part of the log, and writes the payloads anew, in memory, that have hits which rules are about. @throws LogTampered */
export async function* rewrittenSegments(
  database: Pool,
  { partition, naming, from, end }: Part,
  rules: ErasureRules,
): AsyncGenerator<RewrittenSegment> {
  for (let next = from; next <= end;) {
    const page = await run<Stored>(
      database,
      sql`select ${segmentHeader}, payload from intake_segments
          where partition = ${partition} and first_offset + count > ${next} and first_offset <= ${end}
            and first_offset >= coalesce((select max(first_offset) from intake_segments
              where partition = ${partition} and first_offset <= ${next}), 0)
          order by first_offset limit ${PAGE}`,
    );
    for (const segment of page) {
      const rewritten = await rewriteSegment(segment, { partition, naming }, rules);
      if (rewritten) yield rewritten;
      next = Number(segment.first_offset) + segment.count;
    }
    if (page.length === 0) return;
  }
}

async function rewriteSegment(
  stored: Stored,
  { partition, naming }: Pick<Part, 'partition' | 'naming'>,
  rules: ErasureRules,
): Promise<RewrittenSegment | undefined> {
  const offset = Number(stored.first_offset);
  const current = currentPayload(stored, partition);
  if (!current) throw tampered({ partition, offset, finding: 'payload_forged' });
  if (!stored.payload) throw tampered({ partition, offset, finding: 'payload_missing' });
  if (hash('sha256', stored.payload, 'hex') !== current.hash)
    throw tampered({ partition, offset, finding: 'payload_changed' });
  if (naming && !namesAny(stored.payload, current.size, naming)) return undefined;
  const erased = new Map<string, { readonly organizationId: string; readonly places: Set<number> }>();
  for (const [place, event] of unpackEvents(stored.payload, current.size).entries()) {
    const [rule] = event ? rules.matching(event) : [];
    if (!rule) continue;
    const of = erased.get(rule.erasureId) ?? { organizationId: rule.organizationId, places: new Set() };
    of.places.add(place);
    erased.set(rule.erasureId, of);
  }
  if (erased.size === 0) return undefined;
  const steps: Step[] = [];
  let before = current.hash;
  let packed = { payload: stored.payload, size: current.size };
  for (const [erasureId, { organizationId, places }] of erased) {
    packed = await withoutEvents(packed, places);
    const after = hash('sha256', packed.payload, 'hex');
    steps.push({ organizationId, erasureId, before, after, size: packed.size, hits: places.size });
    before = after;
  }
  const rewrites = stored.rewrites?.length ?? 0;
  return { partition, offset, payload: packed.payload, steps, chain: current.chain, rewrites };
}

/** Stores payloads with what vouches for them, by erasure the id of its receipt; all of them or none. */
export async function writeSegments(
  database: Pool,
  segments: readonly RewrittenSegment[],
  receipts: ReadonlyMap<string, string>,
): Promise<void> {
  if (segments.length === 0) return;
  await transaction(database, async (client) => {
    for (const { partition, offset, payload, steps, rewrites, ...segment } of segments) {
      const written = await run(
        client,
        sql`update intake_segments set payload = ${payload}
            where partition = ${partition} and first_offset = ${offset}
              and encode(sha256(payload), 'hex') = ${steps[0]?.before ?? ''} returning partition`,
      );
      if (written.length === 0) throw tampered({ partition, offset, finding: 'payload_changed' });
      let { chain } = segment;
      for (const [at, { organizationId, erasureId, before, after, size }] of steps.entries()) {
        const eventId = receipts.get(erasureId) ?? '';
        const number = rewrites + at + 1;
        const rewrite = { number, before, after, size, organizationId, erasureId, eventId };
        chain = rewriteHash(rewrite, { partition, offset }, chain);
        await run(
          client,
          sql`insert into intake_rewrites (segment_partition, segment_offset, number, before_hash, after_hash, size,
                organization_id, erasure_id, event_id, chain)
              values (${partition}, ${offset}, ${number}, decode(${before}, 'hex'), decode(${after}, 'hex'), ${size},
                ${organizationId}, ${erasureId}, ${eventId}, decode(${chain}, 'hex'))`,
        );
      }
    }
  });
}
