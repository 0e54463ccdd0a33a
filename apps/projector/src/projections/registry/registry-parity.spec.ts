import fc from 'fast-check';
import type { Pool } from 'pg';
import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { linkCounts, RECORD_TABLES } from '@ledgerline/contracts/read-models/registry';
import { type StoredRecords } from '@ledgerline/contracts/records';
import { withDetails, linkOf } from '@ledgerline/domain/registry/record-changes';
import { LISTED_KINDS, Registry } from '@ledgerline/domain/registry/registry';
import { run } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import type { RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import { recordFieldsSql, readRegistryRows } from '@ledgerline/platform/registry/stored-registry';
import { decidedHistory } from '@test/domain/decided-history';
import { createReadModels } from '@test/postgres/read-model-tables';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { compareVersions } from '@test/projector/compare-versions';
import { tablesIn } from '@test/projector/tables-in';
import { runs } from '@test/random-runs';
import { openProjectionPool } from '../../open-pool';
import { registryGroup } from './registry-group';

describe('the registry in Postgres', () => {
  it('is the same in pieces, delivered twice each, as in one batch, and the same as in memory', async () => {
    const property = fc.asyncProperty(
      decidedHistory,
      fc.array(fc.integer({ min: 1, max: 9 })),
      async (events, sizes) => {
        for (const version of [1, 2]) await empty(version);
        await deliver(1, events);
        for (const piece of pieces(events, sizes)) {
          await deliver(2, piece);
          await deliver(2, piece);
        }
        expect(await compareVersions(pool, group, 1, 2)).toEqual([]);
        expect(sorted(await rowsOf(1, events))).toEqual(sorted(expected(events)));
      },
    );
    await fc.assert(property, { seed: 71, numRuns: runs(20) });
  }, 60_000);

  let database: TestDatabase;
  let pool: Pool;
  const group = registryGroup();

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openProjectionPool(database.url, { max: 1 });
    for (const version of [1, 2]) await createReadModels(pool, `registry_v${version}`, group.builds);
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  async function empty(version: number): Promise<void> {
    const tables = group.builds.map(({ name }) => identifier(`registry_v${version}`, name).text);
    await run(pool, { text: `truncate ${tables.join(', ')}`, values: [] });
  }

  async function deliver(version: number, events: readonly Recorded[]): Promise<void> {
    const recorded = events.map((event) => ({
      ...event,
      id: idOf(event),
      stream: `${event.data.organizationId}-any-1`,
      metadata: {},
    }));
    const compute = await group.prepare(recorded as unknown as RecordedEvent[]); // only what projections read
    const { statements } = await compute(pool, tablesIn(`registry_v${version}`));
    for (const statement of statements) await run(pool, statement);
  }

  /**
   * Returns what the tables hold of organizations that are not deleted, as a registry answers that begins with them.
   */
  async function rowsOf(version: number, events: readonly Recorded[]): Promise<Tables> {
    const table = ({ name }: ReadModel) => identifier(`registry_v${version}`, name);
    const state = await readRegistryRows(pool, { table });
    const registry = new Registry();
    registry.load(state);
    const owned = sql`organization_id in (select id from ${table(RECORD_TABLES.organizations)} where deleted_at is null)`;
    const links = await run<StoredRecords['links']>(
      pool,
      sql`select ${recordFieldsSql(RECORD_TABLES.links, sql`l`)} from ${table(RECORD_TABLES.links)} l where ${owned}`,
    );
    for (const row of [...links, ...Object.values(state).flat()]) expectCopiesOfDetails(row);
    const counts = await run<{ id: string; links: number }>(
      pool,
      sql`select organization_id as id, links::integer from ${table(linkCounts)} where ${owned} and links > 0`,
    );
    return { ...entriesOf(registry, events), links: plain(links.map(withDetails)), counts };
  }
});

/** An event is at one place of one stream. */
const idOf = ({ type, data, revision, recordedAt }: Recorded): string =>
  [type, revision, recordedAt.getTime(), JSON.stringify(data)].join(' ');

/** Columns that hold a detail again, for searches and orders. */
function expectCopiesOfDetails(row: object): void {
  const { details = {}, ...columns } = row as { readonly details?: object };
  const copied = Object.entries(columns).filter(([name]) => Object.hasOwn(details, name));
  expect(details).toMatchObject(Object.fromEntries(copied));
}

const plain = (records: readonly object[]) => JSON.parse(JSON.stringify(records)) as readonly TableRow[];

interface TableRow {
  readonly id?: string;
  readonly organizationId?: string;
  readonly userId?: string;
}
type Tables = Readonly<Record<string, readonly TableRow[]>>;

const sorted = (tables: Tables): Tables => {
  const keyOf = ({ id, organizationId, userId }: TableRow) => id ?? `${organizationId} ${userId}`;
  const inOrder = (rows: readonly TableRow[]) => rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, inOrder(rows)]));
};

/** All that a registry answers. */
function entriesOf(registry: Registry, events: readonly Recorded[]): Tables {
  const ids = [...new Set(events.map(({ data }) => data.organizationId))].sort();
  const organizations = ids.flatMap((id) => registry.organization(id) ?? []);
  const of = (entries: (id: string) => readonly object[]) => ids.flatMap(entries);
  const entries = {
    organizations,
    deleted: ids.filter((id) => registry.isDeleted(id)).map((id) => ({ id })),
    members: of((id) => registry.membersOf(id)),
    invitations: of((id) => registry.invitationsOf(id)),
    ...Object.fromEntries(LISTED_KINDS.map((kind) => [RECORD_TABLES[kind].name, of((id) => registry.list(kind, id))])),
  };
  return JSON.parse(JSON.stringify(entries)) as Tables;
}

/** Returns the tables by the events themselves. */
function expected(events: readonly Recorded[]): Tables {
  const registry = new Registry();
  for (const event of events) registry.apply(event);
  const ids = events.flatMap(({ type, data }) => (type === 'LinkCreated' ? [data.linkId] : []));
  const links = ids
    .flatMap((id) => linkOf(events.filter(({ data }) => 'linkId' in data && data.linkId === id)) ?? [])
    .filter(({ organizationId }) => !registry.isDeleted(organizationId));
  const owners = [...new Set(links.map(({ organizationId }) => organizationId))];
  const counts = owners.map((id) => ({ id, links: links.filter((link) => link.organizationId === id).length }));
  return {
    ...entriesOf(registry, events),
    links: plain(links),
    counts,
  };
}

function* pieces(events: readonly Recorded[], sizes: readonly number[]): Generator<readonly Recorded[]> {
  for (let at = 0, n = 0; at < events.length; n++) {
    const size = sizes[n % sizes.length] ?? 3;
    yield events.slice(at, (at += size));
  }
}
