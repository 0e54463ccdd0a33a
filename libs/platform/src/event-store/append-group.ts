import { run, type Queryable } from '../database/pool';
import { sql } from '../database/sql';
import { chainHash, GENESIS } from './chain-hash';
import type { CheckedAppend, CheckedEvent } from './checked-append';
import { organizationOf, type NewEvent } from './event-store';
import { decideAppend, type PlacedEvent, type AppendDecision } from './append-decision';
import { writeEvents, type Chain, type LinkedEvent } from './write-events';

/**
 * Writes a group of appends inside one transaction and returns a decision for each, in order.
 * TRICKY: locks are taken in one order everywhere (new streams by name, invisible to others; the others by name;
 * organizations by id; the global head last), and nothing slow happens after the head: it orders all writers, and its
 * release at commit makes position order the order in which events become visible. Only organizations that two
 * processes begin at the same moment may meet in another order; that deadlock ends by a retry.
 */
export async function appendGroup(client: Queryable, appends: readonly CheckedAppend[]): Promise<AppendDecision[]> {
  const revisions = await lockStreams(client, appends);
  const stored = await suspectedReplays(client, appends, revisions);
  const decisions = appends.map((append) => {
    const decision = decideAppend(append, revisions.get(append.stream) ?? -1, stored);
    if (decision.outcome === 'write') noteWritten(decision.placed, revisions, stored);
    return decision;
  });
  const written = decisions.flatMap((decision) => (decision.outcome === 'write' ? decision.placed : []));
  if (written.length > 0) {
    const chains = await lockChains(client, [...new Set(written.map(({ stream }) => organizationOf(stream)))].sort());
    await writeEvents(client, link(written, chains), chains, revisions);
  }
  return decisions;
}

function noteWritten(
  placed: readonly PlacedEvent[],
  revisions: Map<string, number>,
  stored: Map<string, PlacedEvent>,
): void {
  for (const one of placed) {
    stored.set(one.event.id, one);
    revisions.set(one.stream, one.revision);
  }
}

/** Newest revision by stream; streams that are to be created get their row here, and none that is there is held yet. */
async function lockStreams(client: Queryable, appends: readonly CheckedAppend[]): Promise<Map<string, number>> {
  const names = [...new Set(appends.map(({ stream }) => stream))].sort();
  const fresh = new Set(appends.filter(({ expected }) => expected < 0).map(({ stream }) => stream));
  const created =
    fresh.size === 0
      ? []
      : await createStreams(
          client,
          names.filter((name) => fresh.has(name)),
        );
  const revisions = new Map(created.map(({ name }) => [name, -1]));
  const others = names.filter((name) => !revisions.has(name));
  if (others.length > 0) {
    const rows = await run<{ name: string; revision: number }>(
      client,
      sql`select name, revision from streams where name = any(${others}) order by name for update`,
    );
    for (const { name, revision } of rows) revisions.set(name, revision);
  }
  return revisions;
}

/** Those that were not there. */
const createStreams = (client: Queryable, names: readonly string[]) =>
  run<{ name: string }>(
    client,
    sql`insert into streams (name, organization, revision)
        select name, organization, -1
        from unnest(${names}::text[], ${names.map(organizationOf)}::text[]) as fresh (name, organization)
        order by name
        on conflict (name) do nothing
        returning name`,
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
      const stored = { ...event, ...(sealed === null ? {} : { sealed }) };
      return [event.id, { event: stored, stream, revision, position: Number(position) }];
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
