import { run, runPrepared, type Queryable } from '../database/pool';
import { identifier, joinSql, sql, type Sql } from '../database/sql';
import type { PlacedEvent } from './append-decision';
import { GENESIS } from './chain-hash';
import type { CheckedEvent } from './checked-append';
import { eventColumns, toRecorded, type EventRow } from './event-row';
import { organizationOf, type Hash, type StreamName } from './event-store';

/** The newest place of an organization's chain; -1 = none yet. */
export interface Chain {
  revision: number;
  hash: Hash;
}

/** An event with its place in its organization's chain. */
export interface ChainedEvent {
  readonly placed: PlacedEvent<CheckedEvent>;
  readonly organization: string;
  readonly chainRevision: number;
  readonly previousHash: Hash;
  readonly hash: Hash;
}

/** Locks streams by name and reads their newest revisions; one that is not there gets its row, at -1. */
export async function lockStreams(client: Queryable, names: readonly StreamName[]): Promise<Map<string, number>> {
  const rows = await runPrepared<{ name: string; revision: number }>(
    client,
    'lock streams',
    sql`insert into streams (name, organization, revision)
        select name, organization, -1
        from unnest(${names}::text[], ${names.map(organizationOf)}::text[]) as wanted (name, organization)
        order by name
        on conflict (name) do update set revision = streams.revision
        returning name, revision`,
  );
  return new Map(rows.map(({ name, revision }) => [name, revision]));
}

/** Locks chains by organization and reads their newest places; one that is not there gets its row, at -1. */
export async function lockChains(client: Queryable, organizations: readonly string[]): Promise<Map<string, Chain>> {
  const rows = await runPrepared<{ organization: string; revision: string; hash: string }>(
    client,
    'lock chains',
    sql`insert into organization_chains (organization, revision, hash)
        select name, -1, decode(${GENESIS}, 'hex') from unnest(${organizations}::text[]) as wanted (name) order by name
        on conflict (organization) do update set revision = organization_chains.revision
        returning organization, revision, encode(hash, 'hex') as hash`,
  );
  return new Map(rows.map(({ organization, revision, hash }) => [organization, { revision: Number(revision), hash }]));
}

/** The stored events under these ids, by id. */
export async function readEvents(client: Queryable, ids: readonly string[]): Promise<Map<string, PlacedEvent>> {
  if (ids.length === 0) return new Map();
  const rows = await run<EventRow>(client, sql`select ${eventColumns} from events where id = any(${ids}::uuid[])`);
  return new Map(
    rows.map(toRecorded).map((event) => {
      const { id, stream, revision, cursor, recordedAt } = event;
      return [id, { event, stream, revision, position: Number(cursor), recordedAt }];
    }),
  );
}

type Column<Row> = readonly [name: string, type: string, value: (row: Row) => unknown];

const EVENT: readonly Column<ChainedEvent>[] = [
  ['organization', 'text', ({ organization }) => organization],
  ['chain_revision', 'int8', ({ chainRevision }) => chainRevision],
  ['stream', 'text', ({ placed }) => placed.stream],
  ['revision', 'int4', ({ placed }) => placed.revision],
  ['id', 'uuid', ({ placed }) => placed.event.id],
  ['type', 'text', ({ placed }) => placed.event.type],
  ['data', 'text', ({ placed }) => placed.event.dataText],
  ['sealed', 'text', ({ placed }) => placed.event.sealed ?? null],
  ['metadata', 'text', ({ placed }) => placed.event.metadataText],
  ['hash', 'text', ({ hash }) => hash],
  ['previous_hash', 'text', ({ previousHash }) => previousHash],
  ['recorded_at', 'timestamptz', ({ placed }) => placed.event.recordedAt ?? null],
];

const CHAIN: readonly Column<readonly [string, Chain]>[] = [
  ['organization', 'text', ([organization]) => organization],
  ['revision', 'int8', ([, { revision }]) => revision],
  ['hash', 'text', ([, { hash }]) => hash],
];

const STREAM: readonly Column<readonly [string, number]>[] = [
  ['name', 'text', ([name]) => name],
  ['revision', 'int4', ([, revision]) => revision],
];

/** `unnest(…) with ordinality as name (…, n)`: rows as one array per column. */
function unnested<Row>(name: string, columns: readonly Column<Row>[], rows: readonly Row[]): Sql {
  const arrays = columns.map(([, type, value]) => sql`${rows.map(value)}::${identifier(type)}[]`);
  const names = [...columns.map(([column]) => column), 'n'].map((column) => identifier(column));
  return sql`unnest(${joinSql(arrays, ', ')}) with ordinality as ${identifier(name)} (${joinSql(names, ', ')})`;
}

/**
 * Writes events with the new ends of their streams and chains, and gives each its position and time. One statement, so that the
 * global head, which it locks, is followed by nothing but the commit.
 */
export async function writeEvents(
  client: Queryable,
  linked: readonly ChainedEvent[],
  chains: ReadonlyMap<string, Chain>,
  revisions: ReadonlyMap<string, number>,
): Promise<void> {
  const streams = new Set(linked.map(({ placed }) => placed.stream));
  const ends = [...revisions].filter(([name]) => streams.has(name));
  const written = await runPrepared<{ position: string; recorded_at: Date }>(
    client,
    'write events',
    sql`with head as (
          update event_store_head set position = position + ${linked.length}
          returning position - ${linked.length} as start
        ), moved_streams as (
          update streams set revision = moved.revision
          from ${unnested('moved', STREAM, ends)} where streams.name = moved.name
        ), moved_chains as (
          update organization_chains chain set revision = moved.revision, hash = decode(moved.hash, 'hex')
          from ${unnested('moved', CHAIN, [...chains])} where chain.organization = moved.organization
        ), written as (
          insert into events (position, organization, chain_revision, stream, revision, id, type, data, sealed, metadata,
            hash, previous_hash, recorded_at)
          select head.start + n, organization, chain_revision, stream, revision, id, type, data::json, sealed,
            metadata::json, decode(hash, 'hex'), decode(previous_hash, 'hex'), coalesce(recorded_at, clock_timestamp())
          from head, ${unnested('event', EVENT, linked)}
          returning position, recorded_at
        )
        select position, recorded_at from written order by position`,
  );
  linked.forEach(({ placed }, at) => {
    placed.position = Number(written[at]?.position);
    placed.recordedAt = written[at]?.recorded_at ?? new Date(NaN);
  });
}
