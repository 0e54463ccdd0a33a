import { run, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import { chainHash, GENESIS } from './chain-hash';
import type { CheckedAppend, CheckedEvent } from './checked-append';
import { organizationOf, type Hash, type NewEvent } from './event-store';
import { judgeAppend, type PlacedEvent, type Verdict } from './judge-append';

interface Chain {
  revision: number;
  hash: Hash;
}

interface LinkedEvent {
  readonly placed: PlacedEvent<CheckedEvent>;
  readonly organization: string;
  readonly chainRevision: number;
  readonly previousHash: Hash;
  readonly hash: Hash;
}

/**
 * Writes a group of appends inside one transaction and answers a verdict for each, in order.
 * TRICKY: locks are taken in one order everywhere (streams by name, organizations by id, the global head last), and
 * nothing slow happens after the head: it orders all writers, and its release at commit makes position order the
 * order in which events become visible.
 */
export async function appendGroup(client: Queryable, appends: readonly CheckedAppend[]): Promise<Verdict[]> {
  const revisions = await lockStreams(client, appends);
  const known = await suspectedReplays(client, appends, revisions);
  const verdicts = appends.map((append) => {
    const verdict = judgeAppend(append, revisions.get(append.stream) ?? -1, known);
    if (verdict.outcome === 'write') remember(verdict.placed, revisions, known);
    return verdict;
  });
  const written = verdicts.flatMap((verdict) => (verdict.outcome === 'write' ? verdict.placed : []));
  if (written.length > 0) {
    const chains = await lockChains(client, [...new Set(written.map(({ stream }) => organizationOf(stream)))].sort());
    await write(client, link(written, chains), chains, revisions);
  }
  return verdicts;
}

function remember(
  placed: readonly PlacedEvent[],
  revisions: Map<string, number>,
  known: Map<string, PlacedEvent>,
): void {
  for (const one of placed) {
    known.set(one.event.id, one);
    revisions.set(one.stream, one.revision);
  }
}

/** Newest revision by stream; streams that are to be created get their row here. */
async function lockStreams(client: Queryable, appends: readonly CheckedAppend[]): Promise<Map<string, number>> {
  const names = [...new Set(appends.map(({ stream }) => stream))].sort();
  const fresh = new Set(appends.filter(({ expected }) => expected < 0).map(({ stream }) => stream));
  const created = names.filter((name) => fresh.has(name));
  const others = names.filter((name) => !fresh.has(name));
  const rows = [
    ...(created.length === 0 ? [] : await createStreams(client, created)),
    ...(others.length === 0
      ? []
      : await run<{ name: string; revision: number }>(
          client,
          sql`select name, revision from streams where name = any(${others}) order by name for update`,
        )),
  ];
  return new Map(rows.map(({ name, revision }) => [name, revision]));
}

const createStreams = (client: Queryable, names: readonly string[]) =>
  run<{ name: string; revision: number }>(
    client,
    sql`insert into streams (name, organization, revision)
        select name, organization, -1
        from unnest(${names}::text[], ${names.map(organizationOf)}::text[]) as fresh (name, organization)
        order by name
        on conflict (name) do update set revision = streams.revision
        returning name, revision`,
  );

/** Stored events under the ids of appends that come at another revision than they expect. */
async function suspectedReplays(
  client: Queryable,
  appends: readonly CheckedAppend[],
  revisions: ReadonlyMap<string, number>,
): Promise<Map<string, PlacedEvent>> {
  const suspects = appends.filter(({ stream, expected }) => expected !== (revisions.get(stream) ?? -1));
  const ids = suspects.flatMap(({ events }) => events.map(({ id }) => id));
  if (ids.length === 0) return new Map();
  type Row = Omit<NewEvent, 'sealed'> & { sealed: string | null; stream: string; revision: number; position: string };
  const rows = await run<Row>(
    client,
    sql`select id, type, data, sealed, metadata, stream, revision, position from events where id = any(${ids}::uuid[])`,
  );
  return new Map(
    rows.map(({ stream, revision, position, sealed, ...event }) => {
      const known = { ...event, ...(sealed === null ? {} : { sealed }) };
      return [event.id, { event: known, stream, revision, position: Number(position) }];
    }),
  );
}

async function lockChains(client: Queryable, organizations: readonly string[]): Promise<Map<string, Chain>> {
  type Row = { organization: string; revision: string; hash: string };
  const rows = await run<Row>(
    client,
    sql`select organization, revision, encode(hash, 'hex') as hash
        from organization_chains where organization = any(${organizations}) order by organization for update`,
  );
  const missing = organizations.filter((name) => !rows.some(({ organization }) => organization === name));
  if (missing.length > 0) {
    rows.push(
      ...(await run<Row>(
        client,
        sql`insert into organization_chains (organization, revision, hash)
            select name, -1, decode(${GENESIS}, 'hex') from unnest(${missing}::text[]) as fresh (name) order by name
            on conflict (organization) do update set revision = organization_chains.revision
            returning organization, revision, encode(hash, 'hex') as hash`,
      )),
    );
  }
  return new Map(rows.map(({ organization, revision, hash }) => [organization, { revision: Number(revision), hash }]));
}

/** Hangs the events on their organizations' chains, which it moves on. */
function link(written: readonly PlacedEvent<CheckedEvent>[], chains: Map<string, Chain>): LinkedEvent[] {
  return written.map((placed) => {
    const organization = organizationOf(placed.stream);
    const chain = chains.get(organization);
    if (!chain) throw new Error(`No chain of ${organization} is locked.`);
    const previousHash = chain.hash;
    chain.hash = chainHash({ ...placed.event, stream: placed.stream, revision: placed.revision }, previousHash);
    chain.revision += 1;
    return { placed, organization, chainRevision: chain.revision, previousHash, hash: chain.hash };
  });
}

async function write(
  client: Queryable,
  linked: readonly LinkedEvent[],
  chains: ReadonlyMap<string, Chain>,
  revisions: ReadonlyMap<string, number>,
): Promise<void> {
  const streams = [...new Set(linked.map(({ placed }) => placed.stream))];
  const owners = [...chains.keys()];
  const column = <T>(value: (event: CheckedEvent, one: LinkedEvent) => T): T[] =>
    linked.map((one) => value(one.placed.event, one));
  const [head] = await run<{ start: string }>(
    client,
    sql`with head as (
          update event_store_head set position = position + ${linked.length} returning position - ${linked.length} as start
        ), moved_streams as (
          update streams set revision = moved.revision
          from unnest(${streams}::text[], ${streams.map((name) => revisions.get(name))}::integer[]) as moved (name, revision)
          where streams.name = moved.name
        ), moved_chains as (
          update organization_chains chain set revision = moved.revision, hash = decode(moved.hash, 'hex')
          from unnest(${owners}::text[], ${owners.map((name) => chains.get(name)?.revision)}::bigint[],
            ${owners.map((name) => chains.get(name)?.hash)}::text[]) as moved (organization, revision, hash)
          where chain.organization = moved.organization
        ), written as (
          insert into events (position, organization, chain_revision, stream, revision, id, type, data, sealed, metadata,
            hash, previous_hash)
          select head.start + n, organization, chain_revision, stream, revision, id, type, data::json, sealed,
            metadata::json, decode(hash, 'hex'), decode(previous_hash, 'hex')
          from head, unnest(
            ${column((_, { organization }) => organization)}::text[], ${column((_, { chainRevision }) => chainRevision)}::bigint[],
            ${column((_, { placed }) => placed.stream)}::text[], ${column((_, { placed }) => placed.revision)}::integer[],
            ${column(({ id }) => id)}::uuid[], ${column(({ type }) => type)}::text[],
            ${column(({ dataText }) => dataText)}::text[], ${column(({ sealed }) => sealed ?? null)}::text[],
            ${column(({ metadataText }) => metadataText)}::text[],
            ${column((_, { hash }) => hash)}::text[], ${column((_, { previousHash }) => previousHash)}::text[]
          ) with ordinality as event (organization, chain_revision, stream, revision, id, type, data, sealed, metadata,
            hash, previous_hash, n)
        )
        select start from head`,
  );
  linked.forEach(({ placed }, at) => (placed.position = Number(head?.start) + at + 1));
}
