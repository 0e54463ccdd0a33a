import type { Pool } from 'pg';
import { encodeHit } from '@ledgerline/platform/intake-log/encoded-hit';
import { packSegments } from '@ledgerline/platform/intake-log/flush';
import type { IntakeItem } from '@ledgerline/platform/intake-log/intake-log';
import { SEGMENT_FORMAT } from '@ledgerline/platform/intake-log/segment-format';

/**
 * Stores a segment at an offset, in place of the one that begins there, as somebody with access to the database can:
 * with hashes that extend the chain of the segment before. The head stays as it is.
 */
export async function forgeSegment(
  pool: Pool,
  partition: number,
  offset: number,
  hits: readonly IntakeItem[],
): Promise<void> {
  const [segment] = await packSegments(hits.map((hit) => encodeHit(hit, 1)));
  if (!segment) throw new Error('A segment holds at least one hit.');
  const { count, types, size, minAt, maxAt, payload } = segment;
  await pool.query(
    `insert into intake_segments
     select $1, $2, $3, $4, $5, $6, $7, $8, recorded, sha256($9), sha256(chain || convert_to(concat_ws('|', $1::integer, $2::bigint,
       $3::integer, array_to_string($4::text[], ','), $5::smallint, $6::integer, $7::bigint, $8::bigint,
       (extract(epoch from recorded) * 1000)::bigint), 'UTF8') || sha256($9)), $9
     from date_trunc('milliseconds', clock_timestamp()) recorded, coalesce(
       (select chain from intake_segments where partition = $1 and first_offset < $2 order by first_offset desc limit 1),
       decode(repeat('00', 32), 'hex')
     ) chain
     on conflict (partition, first_offset) do update set count = excluded.count, types = excluded.types,
       size = excluded.size, min_at = excluded.min_at, max_at = excluded.max_at, recorded_at = excluded.recorded_at,
       payload_hash = excluded.payload_hash, chain = excluded.chain, payload = excluded.payload`,
    [partition, offset, count, types, SEGMENT_FORMAT, size, minAt, maxAt, payload],
  );
}

/** Removes the last segment of a partition, and sets its head back, so that nothing in the log shows it. */
export async function removeNewestSegment(pool: Pool): Promise<void> {
  await pool.query(`
    with removed as (
      delete from intake_segments where (partition, first_offset) =
        (select partition, first_offset from intake_segments order by first_offset desc limit 1)
      returning partition, first_offset
    )
    update intake_heads set next_offset = first_offset, chain = coalesce(
      (select s.chain from intake_segments s
       where s.partition = removed.partition and s.first_offset < removed.first_offset order by s.first_offset desc limit 1),
      decode(repeat('00', 32), 'hex')
    ) from removed where intake_heads.partition = removed.partition`);
}
