import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import { omit } from '@ledgerline/domain/changes';
import type { Invitation } from '@ledgerline/domain/registry/organizations';
import { Registry } from '@ledgerline/domain/registry/registry';
import { run } from '@ledgerline/platform/database/pool';
import { createReadModels } from '@ledgerline/platform/database/read-model-ddl';
import { identifier } from '@ledgerline/platform/database/sql';
import type { RecordedEvent } from '@ledgerline/platform/event-store/event-store';
import fc from 'fast-check';
import type { Pool } from 'pg';
import { decidedHistory } from '../../../../../test/domain/decided-history';
import { createTestDatabase, type TestDatabase } from '../../../../../test/postgres/test-database';
import { openProjectionPool } from '../../open-pool';
import { compareVersions } from '../../rebuild/compare-versions';
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
        expect(sorted(await rowsOf(1))).toEqual(sorted(entriesOf(events)));
      },
    );
    await fc.assert(property, { seed: 71, numRuns: 60 });
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
    const compute = await group.prepare(events as unknown as RecordedEvent[]); // only what projections read
    const { statements } = await compute(pool, `registry_v${version}`);
    for (const statement of statements) await run(pool, statement);
  }

  /** What the tables hold of organizations that are not deleted, as the registry in memory answers it. */
  async function rowsOf(version: number): Promise<Tables> {
    const tables = Object.entries(SELECTS).map(async ([name, columns]) => {
      const owner = name === 'organizations' ? 'id' : 'organization_id';
      const text = `select ${columns} as entry from registry_v${version}.${name}
        where ${owner} in (select id from registry_v${version}.organizations where deleted_at is null)`;
      const rows = await run<{ entry: TableRow }>(pool, { text, values: [] });
      return [name, rows.map(({ entry }) => entry)] as const;
    });
    return Object.fromEntries(await Promise.all(tables));
  }
});

const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const HISTORY = `'createdAt', ${iso('created_at')}, 'updatedAt', ${iso('updated_at')}, 'revision', revision`;
const SELECTS = {
  organizations: `jsonb_build_object('id', id, 'name', name, ${HISTORY})`,
  members: `jsonb_build_object('organizationId', organization_id, 'userId', user_id, 'role', role, 'joinedAt', ${iso('joined_at')})`,
  invitations: `jsonb_build_object('id', id, 'organizationId', organization_id, 'role', role, 'invitedBy', invited_by,
    'expiresAt', ${iso('expires_at')}, 'createdAt', ${iso('created_at')})`,
  websites: `details || jsonb_build_object('id', id, ${HISTORY})`,
  links: `details || jsonb_build_object('id', id, 'createdBy', created_by, ${HISTORY})`,
  link_counts: `jsonb_build_object('organizationId', organization_id, 'links', links)`,
  api_keys: `details || jsonb_build_object('id', id, 'enabled', enabled, 'start', start, 'secretId', secret_id,
    'revokedAt', ${iso('revoked_at')}, ${HISTORY})`,
};

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

/** The same from the registry in memory. */
function entriesOf(events: readonly Recorded[]): Tables {
  const registry = new Registry();
  for (const event of events) registry.apply(event);
  const ids = [...new Set(events.map(({ data }) => data.organizationId))].sort();
  const organizations = ids.flatMap((id) => registry.organization(id) ?? []);
  const of = (entries: (id: string) => readonly object[]) => organizations.flatMap(({ id }) => entries(id));
  const links = events.flatMap(({ type, data }) => (type === 'LinkCreated' ? (registry.link(data.linkId) ?? []) : []));
  const entries = {
    organizations: organizations.map((organization) => omit(organization, 'ownerId')),
    members: of((id) => registry.membersOf(id)),
    invitations: of((id) => registry.invitationsOf(id)).map((each) =>
      omit(each as Invitation, 'updatedAt', 'revision'),
    ),
    websites: of((id) => registry.websitesOf(id)),
    links,
    link_counts: of((organizationId) => {
      const own = links.filter((link) => link.organizationId === organizationId);
      return own.length > 0 ? [{ organizationId, links: own.length }] : [];
    }),
    api_keys: of((id) => registry.keysOf(id)),
  };
  return JSON.parse(JSON.stringify(entries)) as Tables;
}

function* pieces(events: readonly Recorded[], sizes: readonly number[]): Generator<readonly Recorded[]> {
  for (let at = 0, n = 0; at < events.length; n++) {
    const size = sizes[n % sizes.length] ?? 3;
    yield events.slice(at, (at += size));
  }
}
