import { isDeepStrictEqual } from 'node:util';
import { inflateRawSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020';
import { Pool } from 'pg';
import { rollupNamed } from '@ledgerline/contracts/aggregates/website-aggregates';
import { decidedVersions, observedVersions } from '@ledgerline/contracts/events/event-versions';
import { auditedEvent } from '@ledgerline/domain/audit/audited-events';
import { LISTED_KINDS, Registry } from '@ledgerline/domain/registry/registry';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import {
  type EventStore,
  type RecordedEvent,
  asDecided,
  decidedIn,
} from '@ledgerline/platform/event-store/event-store';
import { verifyChain } from '@ledgerline/platform/event-store/verify-chain';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { BEGINNING, logUnknownEvents, unknownEvents } from '@ledgerline/platform/log/log-reader';
import { organizationIds, readStoredRegistry } from '@ledgerline/platform/registry/stored-registry';
import { verifyIntakeLog } from '../../scripts/audit/verify-segments';
import { createTestDatabase, type TestDatabase } from '../postgres/test-database';
import { keptSums, readKept } from '../projector/kept-sums';
import { projectInto, type DirectProjector } from '../query/projected-database';
import { addDecided, addObserved } from './golden/add-samples';
import { keepGoldenLogs, restoreGoldenLogs } from './golden/golden-logs';
import { decidedSamples, observedSamples } from './golden/samples';
import { isUpdating, keptSchemas } from './golden/schemas';

describe('logs that all versions of the product have written', () => {
  it('hold every version of every type', async () => {
    expect(await storedKinds()).toEqual(new Set(allVersions()));
  });

  it('are what was written', async () => {
    const organizations = new Set((await everything()).map(({ stream }) => stream.slice(0, stream.indexOf('-'))));
    for (const organization of organizations)
      expect(await verifyChain(store, organization)).toMatchObject({ valid: true });
    expect(await verifyIntakeLog(pool)).toMatchObject({ valid: true });
  });

  it('have data of the shape of its version, which becomes the current shape', async () => {
    for (const event of await everything()) {
      if (event.type === 'IntakeHeadsSigned') continue; // declared beside its signature
      expect(faults(event.type, Number(event.metadata['eventVersion'] ?? 1), event.data)).toEqual([]);
      expect(faults(event.type, decidedVersions.current(event.type), asDecided(event)!.data)).toEqual([]);
    }
    for (const { type, data } of await everyHit())
      expect(faults(type, observedVersions.current(type), data)).toEqual([]);
  });

  it('give every projection its rows, and the registry what is in memory', async () => {
    await projector.catchUp();
    const registry = new Registry();
    for (const event of decidedIn(await everything())) registry.apply(event);
    const stored = new Registry();
    stored.load((await readStoredRegistry(pool))!);
    expect(recordsIn(stored)).toEqual(recordsIn(registry));
    expect(await organizationIds(pool)).toContain('org_golden');
    expect(registry.find('websites', 'site_early')).toMatchObject({ retentionDays: null });
    const hits = await everyHit();
    const count = (type: string) => hits.filter((hit) => hit.type === type).length;
    const kept = keptSums(await readKept(pool, 'websites_v1'));
    const views = (kept[rollupNamed('views').name] ?? []).map(
      (row) => (JSON.parse(row) as [website: number, day: number, views: [number]])[2][0],
    );
    expect(views.reduce((sum, each) => sum + each, 0)).toBe(count('PageViewed'));
    expect(Object.keys(kept)).toEqual(
      expect.arrayContaining([rollupNamed('visits_of_pages').name, rollupNamed('errors').name]),
    );
    expect(await sumOf('clicks', `links_v1.link_clicks_15min where span = 1`)).toBe(count('LinkClicked'));
    const rows = await projectedRows();
    expect(OF_OTHER_TYPES.filter((table) => rows.get(table)?.length === 0)).toEqual([]);
  });

  it('give every entry of the audit log', async () => {
    const isAudited = ({ stream, type }: RecordedEvent) =>
      !stream.startsWith('global') && type !== 'OrganizationDeleted';
    const entries = decidedIn(await everything()).filter(isAudited);
    for (const event of entries) expect(auditedEvent(event)).not.toMatchObject({ action: 'unknown' });
    expect(entries.length).toBeGreaterThan(40);
  });

  it('may hold what only a later version knows: it is counted, logged once and passed over', async () => {
    const before = await projectedRows();
    const logged: unknown[] = [];
    logUnknownEvents({ warn: (kind: unknown) => void logged.push(kind) });
    const unknown = {
      type: 'LinkTeleported',
      version: 1,
      data: { organizationId: 'org_golden', linkId: 'link_golden' },
    };
    const later = {
      type: 'WebsiteDeleted',
      version: 9,
      data: { organizationId: 'org_golden', websiteId: 'site_golden' },
    };
    await addDecided(database.url, [unknown, later], ({ version }) => ({ eventVersion: String(version) }));
    await addObserved(database.url, [unknown]);
    await projector.catchUp();
    expect(await projectedRows()).toEqual(before);
    const stored = new Registry();
    stored.load((await readStoredRegistry(pool))!);
    expect(stored.find('websites', 'site_golden')).toBeDefined();
    const entries = await store.readBack({ organization: 'org_golden', limit: 2 });
    for (const event of entries)
      expect(auditedEvent(asDecided(event) ?? { ...event, data: {} })).toMatchObject({ action: 'unknown' });
    const kinds = [
      { log: 'event store', type: 'LinkTeleported', version: 1 },
      { log: 'event store', type: 'WebsiteDeleted', version: 9 },
      { log: 'intake log', type: 'LinkTeleported', version: 1 },
    ];
    expect([...unknownEvents()].map(({ log, type, version }) => ({ log, type, version }))).toEqual(
      expect.arrayContaining(kinds),
    );
    expect(kinds.map((kind) => logged.filter((each) => isDeepStrictEqual(each, kind)).length)).toEqual([1, 1, 1]);
  });

  let database: TestDatabase;
  let pool: Pool;
  let store: EventStore;
  let log: IntakeLog;
  let projector: DirectProjector;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url, max: 2 });
    await restoreGoldenLogs(pool);
    store = await openEventStore({ databaseUrl: database.url });
    log = await openIntakeLog({ databaseUrl: database.url });
    if (isUpdating) await addMissing();
    projector = await projectInto(database.url, []);
  });

  afterAll(async () => {
    await Promise.all([projector.close(), store.close(), log.close()]);
    await pool.end();
    await database.drop();
  });

  async function addMissing(): Promise<void> {
    const stored = await storedKinds();
    const isMissing = ({ type, version }: { type: string; version: number }) => !stored.has(`${type} ${version}`);
    await addDecided(database.url, decidedSamples.filter(isMissing));
    await addObserved(database.url, observedSamples.filter(isMissing));
    await keepGoldenLogs(pool);
  }

  const everything = async () => (await store.read(0, BEGINNING, { max: 1_000 })).events;
  const everyHit = async () => (await log.read(0, BEGINNING, { max: 1_000 })).events.map(({ event }) => event);

  async function storedKinds(): Promise<ReadonlySet<string>> {
    const events = (await everything()).map(({ type, metadata }) => `${type} ${metadata['eventVersion'] ?? 1}`);
    const { rows } = await pool.query<{ payload: Buffer }>('select payload from intake_segments');
    return new Set([...events, ...rows.flatMap(({ payload }) => kindsIn(payload))]);
  }

  /** The rows of every projected table. */
  async function projectedRows(): Promise<ReadonlyMap<string, readonly object[]>> {
    const { rows: tables } = await pool.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname like '%\\_v1'`,
    );
    const rowsOf = async ({ name }: { name: string }) =>
      [name, (await pool.query<object>(`select * from ${name} t order by t::text`)).rows] as const;
    return new Map(await Promise.all(tables.map(rowsOf)));
  }

  async function sumOf(column: string, table: string): Promise<number> {
    const { rows } = await pool.query<{ sum: number }>(`select sum(${column})::int from ${table}`);
    return rows[0]!.sum;
  }
});

/** Beside page views and clicks; bots are counted nowhere. */
const OF_OTHER_TYPES = [
  'websites_v1.custom_events',
  'websites_v1.link_domains',
  'websites_v1.vitals',
  'websites_v1.errors',
  'websites_v1.engagement_spans',
  'websites_v1.visitor_profiles',
  'monitors_v1.monitor_states',
];

/** As a segment names them. */
function kindsIn(payload: Buffer): string[] {
  const json = inflateRawSync(payload.subarray(4 + 16 * payload.readUInt32BE(0))).toString();
  const { tables } = JSON.parse(json) as { tables: readonly { type: string; version?: number }[] };
  return tables.map(({ type, version = 1 }) => `${type} ${version}`);
}

const allVersions = (): string[] =>
  [decidedVersions, observedVersions].flatMap((versions) =>
    versions.types.flatMap((type) => Array.from({ length: versions.current(type) }, (_, at) => `${type} ${at + 1}`)),
  );

const ajv = new Ajv2020({ strict: false });

const validators = new Map(
  keptSchemas().map(({ type, version, schema }) => [`${type} ${version}`, ajv.compile(schema)]),
);

function faults(type: string, version: number, data: unknown) {
  const validate = validators.get(`${type} ${version}`);
  return validate?.(data) ? [] : [type, version, validate?.errors, data];
}

const recordsIn = (registry: Registry): unknown => {
  const of = ['org_early', 'org_golden'].map((id) => [
    ...[registry.organization(id), registry.membersOf(id), registry.invitationsOf(id), registry.isDeleted(id)],
    ...LISTED_KINDS.map((kind) => registry.list(kind, id)),
  ]);
  return JSON.parse(JSON.stringify(of)) as unknown;
};
