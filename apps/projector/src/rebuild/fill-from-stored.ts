import type { PoolClient } from 'pg';
import { ROLLUPS } from '@ledgerline/contracts/aggregates/website-aggregates';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { schemaOf } from '@ledgerline/contracts/read-models/registry';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { websiteDays } from '@ledgerline/contracts/read-models/website-facts';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { openLongRunningPool } from '../open-pool';
import type { TableTarget } from '../projections/projection-group';
import { EVENT_FACTS } from '../projections/websites/read-hit';
import { advanceCheckpoints } from '../runner/batch-writer';
import { noteFilled, readCursors, resetCheckpoints } from '../runner/checkpoint';
import { countParked } from '../runner/parked-events';
import { resolveTables } from '../versions/program-tables';
import { workersFor, type Workers } from './bulk-threads';
import { type FilledVersion, addPrimaryKeys, emptyTables, notingProgress } from './bulk-work';
import type { LivePosition } from './catch-up';
import type { StoredPart } from './count-stored';

interface StoredFill extends FilledVersion {
  readonly live: LivePosition;
  readonly signal?: AbortSignal | undefined;
  readonly sizes?: StoredSizes;
}

interface StoredSizes {
  /** Visitors of a large website that one thread evaluates, about. */
  readonly part: number;
  /** Fewer events are evaluated before threads have started. */
  readonly threadsFrom: number;
}

const SIZES: StoredSizes = { part: 20_000, threadsFrom: 50_000 };
const MOST_PARTS = 0x10000;

/** The read models from which the next batch of a version without days and links is computed. */
const READ_ON = [sessions, websiteDays, ...EVENT_FACTS.filter(({ unit }) => unit).map(({ builds }) => builds)];

/** The revisions of parked events, and of repairs, that the tables that answer had, by partition. */
export type Revisions = ReadonlyMap<number, number>;

/**
 * Fills the kept counts of a version from the tables that answer, in one snapshot with their checkpoints: counts that both
 * tables have are copied, the others evaluated over sessions and facts, and what the ordinary runner goes on from is
 * copied, too. One that was interrupted begins again. Undefined where the log has to be read: the tables that answer
 * are of another one, lack parked events, or have a website whose time zone is not known.
 */
export async function fillFromStored(given: StoredFill): Promise<Revisions | undefined> {
  const fill = { sizes: SIZES, ...given, ...notingProgress(given) };
  const { group, version, live, signal } = fill;
  if (!live.isBegun || !live.ownOnly || !group.zones) return undefined;
  const workers = workersFor(group, live.events >= fill.sizes.threadsFrom);
  const connection = openLongRunningPool(group.pool);
  const ending = () => void workers.end();
  signal?.addEventListener('abort', ending);
  try {
    await resetCheckpoints(group.pool, { group: group.name, version });
    await emptyTables(fill);
    const work = (client: PoolClient) => copyAndCount(fill, workers, client);
    const at = await transaction(connection, work, 'begin isolation level repeatable read');
    if (!at) return undefined;
    await addPrimaryKeys(fill);
    signal?.throwIfAborted();
    await fill.noted();
    await transaction(group.pool, async (client) => {
      const key = { group: group.name, version };
      await noteFilled(client, key, 0);
      const positions = [...at].map(([partition, { digest, asOf, ...position }]) => {
        return { partition, ...position, digest: digest ?? undefined, asOf: asOf?.getTime() };
      });
      await advanceCheckpoints(client, key, positions);
    });
    return new Map([...at].map(([partition, { parkedRevision }]) => [partition, parkedRevision]));
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', ending);
    await Promise.all([workers.end(), connection.end()]);
  }
}

/** In a snapshot, of which the checkpoints are answered. */
async function copyAndCount(
  { group, version, live, onProgress, sizes }: StoredFill & { readonly sizes: StoredSizes },
  workers: Workers,
  client: PoolClient,
) {
  const { name, log } = group;
  const [row] = await run<{ snapshot: string }>(client, sql`select pg_export_snapshot() as snapshot`);
  const { tables, version: answering } = await resolveTables(client, group, 'live');
  if ((await countParked(client, name, answering, await log.epoch())) > 0) return undefined;
  const websites = await websitesIn({ group, client, schema: tables.state });
  if (!row || !websites) return undefined;
  const [kept] = tables.targetsOf(websiteRollups);
  const counts = ROLLUPS.flatMap((count) => (kept && count.name in kept.model.columns ? [] : [count.name]));
  const parts = websites.flatMap((website) =>
    partsOf(website, sizes).map((part) => ({ ...part, ...row, version, counts })),
  );
  let done = 0;
  const onHits = (hits: number) => onProgress?.({ stage: 'writing', done: (done += hits), total: live.events });
  onHits(0); // its time begins here
  await Promise.all([
    copyTables(client, schemaOf(name, version), [
      ...READ_ON.map((model) => ({ schema: tables.state, model })),
      ...(kept ? [kept] : []),
    ]),
    ...(counts.length > 0 ? parts.map((part) => workers.countStored(part, onHits)) : []),
  ]);
  return readCursors(client, { group: name, version: answering });
}

interface Website {
  readonly website: number;
  readonly visitors: number;
  readonly zone: string;
}

/** Undefined where the time zone of one is not known. */
async function websitesIn({
  group: { dictionary, zones },
  client,
  schema,
}: Pick<StoredFill, 'group'> & { readonly client: PoolClient; readonly schema: string }) {
  const table = identifier(schema, websiteDays.name);
  const rows = await run<Omit<Website, 'zone'>>(client, sql`select website, visitors from ${table} order by website`);
  const ids = await dictionary?.textsOf(rows.map(({ website }) => website));
  const byId = await zones?.();
  const known = rows.flatMap((row): readonly Website[] => {
    const zone = byId?.get(ids?.get(row.website) ?? '');
    return zone === undefined ? [] : [{ ...row, zone }];
  });
  return known.length < rows.length ? undefined : known;
}

/** A website as ranges of its visitors, whose ids are hashes. */
function partsOf({ website, visitors, zone }: Website, { part }: StoredSizes) {
  const count = Math.min(Math.max(1, Math.ceil(visitors / part)), MOST_PARTS);
  const start = (nth: number) => Math.floor((nth * MOST_PARTS) / count);
  const digits = (place: number) => place.toString(16).padStart(4, '0');
  return Array.from({ length: count }, (_, nth): Omit<StoredPart, 'snapshot' | 'version' | 'counts'> => {
    const first = digits(start(nth)).padEnd(32, '0');
    const last = digits(start(nth + 1) - 1).padEnd(32, 'f');
    return { website, zone, first, last };
  });
}

/** All rows of tables, with the columns that these have. */
async function copyTables(client: PoolClient, schema: string, from: readonly TableTarget[]): Promise<void> {
  for (const { schema: its, model } of from) {
    const columns = columnsOf(model);
    const text = `insert into ${identifier(schema, model.name).text} (${columns})
      select ${columns} from ${identifier(its, model.name).text}`;
    await run(client, { text, values: [] });
  }
}

const columnsOf = ({ columns }: ReadModel): string =>
  Object.keys(columns)
    .map((name) => identifier(name).text)
    .join(', ');
