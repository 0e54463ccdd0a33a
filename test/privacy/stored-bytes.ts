import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { openPool, run } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';

/** Something that is stored, as text to search in. */
export interface Stored {
  readonly place: string;
  readonly text: string;
}

/** Every value of every row of every table of a database. */
export async function storedInTables(databaseUrl: string): Promise<Stored[]> {
  const pool = openPool({ url: databaseUrl, name: 'spec', max: 1 });
  try {
    const tables = await run<{ schema: string; name: string }>(
      pool,
      sql`select schemaname as schema, tablename as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema') and schemaname not like 'pg_temp%'`,
    );
    const stored: Stored[] = [];
    for (const { schema, name } of tables) {
      const rows = await run(pool, sql`select * from ${identifier(schema, name)}`);
      const texts = rows.flatMap((row) => Object.values(row).map(textOf));
      stored.push({ place: `${schema}.${name}`, text: texts.join('\n') });
    }
    return stored;
  } finally {
    await pool.end();
  }
}

/** Every file below a folder. */
export async function storedInFiles(folder: string): Promise<Stored[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(files.map(async (place) => ({ place, text: textOf(await readFile(place)) })));
}

/** Bytes as they are, and decompressed where they are the payload of a segment. */
const textOf = (value: unknown): string =>
  Buffer.isBuffer(value) ? `${value.toString('latin1')}\n${unpacked(value)}` : JSON.stringify(value);

/** A payload is a number of 16-byte values, these values, and deflated JSON. */
function unpacked(bytes: Buffer): string {
  const start = bytes.length < 4 ? Infinity : 4 + 16 * bytes.readUInt32BE(0);
  try {
    return start < bytes.length ? inflateRawSync(bytes.subarray(start)).toString() : '';
  } catch {
    return ''; // no payload
  }
}

/** Where any of these texts is stored, whatever its case. */
export const placesOf = (stored: readonly Stored[], searched: readonly string[]): string[] =>
  stored.flatMap(({ place, text }) => {
    const lower = text.toLowerCase();
    return searched.filter((each) => lower.includes(each.toLowerCase())).map((found) => `${found} in ${place}`);
  });
