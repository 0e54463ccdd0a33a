import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';

/**
 * Both logs as they were written by all versions of the product: the rows of their tables, one JSON a line, in which
 * JSON is a text and bytes are base64. Lines are only ever added.
 */
const EVENTS = join(__dirname, 'event-store.ndjson');
const SEGMENTS = join(__dirname, 'intake-log.ndjson');

const EVENT_COLUMNS = `position bigint, organization text, chain_revision bigint, stream text, revision integer, id uuid,
  type text, data json, sealed text, metadata json, hash bytea, previous_hash bytea, recorded_at timestamptz`;
const SEGMENT_COLUMNS = `partition integer, first_offset bigint, count integer, types text[], format smallint,
  size integer, min_at bigint, max_at bigint, recorded_at timestamptz, payload_hash bytea, chain bytea, payload bytea`;

/** Puts the rows into empty logs, with the heads that belong to them. */
export async function restoreGoldenLogs(pool: Pool): Promise<void> {
  await insert(pool, 'events', EVENT_COLUMNS, EVENTS);
  await pool.query(`
    insert into streams select stream, organization, max(revision) from events group by 1, 2;
    insert into organization_chains select distinct on (organization) organization, chain_revision, hash
      from events order by organization, chain_revision desc;
    update event_store_head set position = coalesce((select max(position) from events), 0);
    insert into intake_log (partitions) values (1)`);
  await insert(pool, 'intake_segments', SEGMENT_COLUMNS, SEGMENTS);
  await pool.query(`insert into intake_heads select partition, first_offset + count, chain
    from intake_segments order by first_offset desc limit 1`);
}

/** Writes the rows of both logs to the files. */
export async function keepGoldenLogs(pool: Pool): Promise<void> {
  await keep(pool, 'events', EVENT_COLUMNS, EVENTS, 'position');
  await keep(pool, 'intake_segments', SEGMENT_COLUMNS, SEGMENTS, 'first_offset');
}

interface Column {
  readonly name: string;
  readonly type: string;
}

const columnsIn = (text: string): readonly Column[] =>
  text.split(',').map((column) => {
    const [name = '', type = ''] = column.trim().split(' ');
    return { name, type };
  });

async function insert(pool: Pool, table: string, columns: string, file: string): Promise<void> {
  const read = ({ name, type }: Column) => (type === 'bytea' ? `decode(${name}, 'base64')` : `${name}::${type}`);
  const all = columnsIn(columns);
  await pool.query(
    `insert into ${table} (${all.map(({ name }) => name).join()})
     select ${all.map(read).join()} from unnest($1::json[]) line,
       json_to_record(line) as row (${all.map(({ name }) => `${name} text`).join()})`,
    [linesOf(file)],
  );
}

async function keep(pool: Pool, table: string, columns: string, file: string, order: string): Promise<void> {
  const text = ({ name, type }: Column) =>
    `'${name}', ${type === 'bytea' ? `translate(encode(${name}, 'base64'), E'\\n', '')` : `${name}::text`}`;
  const { rows } = await pool.query<{ line: string }>(
    `select json_build_object(${columnsIn(columns).map(text).join()})::text as line from ${table} order by ${order}`,
  );
  writeFileSync(file, rows.map(({ line }) => `${line}\n`).join(''));
}

export const linesOf = (file: string): readonly string[] => readFileSync(file, 'utf8').split('\n').filter(Boolean);
