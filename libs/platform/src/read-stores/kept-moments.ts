import { StartFailure } from '../config/start-failure';
import { type Queryable, run } from '../database/pool';
import { identifier, sql } from '../database/sql';

/** A past moment of which complete read models are kept: a snapshot, in a database beside each read store. */
export interface KeptMoment {
  readonly name: string;
  /** The time until which all that had arrived is in it; epoch ms. */
  readonly until: number;
  /** ISO 8601. */
  readonly madeAt: string;
}

/** As an operator types it, and a query names it. */
export const MOMENT_NAME = /^[a-z0-9][a-z0-9_-]{0,29}$/;

const PART = '_snapshot_';
/** The longest name in Postgres. */
const MAX_BYTES = 63;

/** @throws StartFailure where the name of the database would be too long */
export function databaseOfMoment(database: string, name: string): string {
  const own = `${database}${PART}${name}`;
  if (Buffer.byteLength(own) <= MAX_BYTES) return own;
  throw new StartFailure(`"${own}" is longer than the ${MAX_BYTES} bytes of a name in Postgres; choose a shorter one.`);
}

/** Where the read models of a moment are that belong to those of a read store. */
export function urlOfMoment(readStoreUrl: string, name: string): string {
  const url = new URL(readStoreUrl);
  const database = decodeURIComponent(url.pathname.slice(1) || url.username);
  url.pathname = `/${encodeURIComponent(databaseOfMoment(database, name))}`;
  return url.href;
}

/** On any database of its server. Once its tables are complete; one without that was interrupted. */
export async function markComplete(on: Queryable, database: string, { until, madeAt }: KeptMoment): Promise<void> {
  const text = JSON.stringify({ until, madeAt }).replaceAll("'", "''");
  await run(on, { text: `comment on database ${identifier(database).text} is '${text}'`, values: [] });
}

interface StoredMoment {
  readonly database: string;
  readonly name: string;
  /** Undefined of one that was interrupted. */
  readonly moment: KeptMoment | undefined;
}

/** Reads the moments beside a read store, by name. */
export async function readMoments(readStore: Queryable): Promise<readonly StoredMoment[]> {
  const rows = await run<{ database: string; name: string; about: string | null }>(
    readStore,
    sql`select datname as database, substr(datname, length(current_database()) + ${PART.length + 1}::int) as name,
          shobj_description(oid, 'pg_database') as about
        from pg_database where starts_with(datname, current_database() || ${PART}) order by 1`,
  );
  return rows.map(({ database, name, about }) => {
    const moment = about === null ? undefined : { name, ...(JSON.parse(about) as Omit<KeptMoment, 'name'>) };
    return { database, name, moment };
  });
}
