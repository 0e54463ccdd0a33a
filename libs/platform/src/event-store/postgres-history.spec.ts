import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { appended, event, freshOrganization, freshStream } from '@test/event-store/laws/harness';
import { createTestDatabase, type TestDatabase } from '@test/postgres/test-database';
import { chainHash, proofOf } from './appended-events';
import { type HistoryEntry, historyPages } from './event-store';
import { PostgresEventStore } from './postgres-event-store';

const EVENTS = 6;

describe('the proof of each entry of a history in Postgres', () => {
  let database: TestDatabase;
  let pool: Pool;
  let store: PostgresEventStore;
  let organization: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new Pool({ connectionString: database.url });
    store = new PostgresEventStore(database.url);
  });
  beforeEach(async () => {
    organization = freshOrganization();
    for (let n = 0; n < EVENTS; n += 1) {
      await appended(store, freshStream(organization), 'no-stream', [event({ n })]);
      await appended(store, freshStream(), 'no-stream', [event()]); // of another organization
    }
  });
  afterAll(async () => {
    await store.close();
    await pool.end();
    await database.drop();
  });

  const change = (what: string, where: string, ...values: unknown[]) =>
    pool.query(`update events set ${what} where organization = $1 and ${where}`, [organization, ...values]);
  const history = async (pageSize: number): Promise<HistoryEntry[]> => {
    const entries: HistoryEntry[] = [];
    for await (const page of historyPages(store, organization, pageSize)) entries.push(...page);
    return entries;
  };
  /** Places, whatever the size of the pages. */
  const unproven = async (): Promise<unknown[]> => {
    const found = await Promise.all(
      [1, 2, 5, 100].map(async (pageSize) => {
        const forged = (await history(pageSize)).filter((entry) => proofOf(entry) === 'unproven');
        return forged.map(({ chain }) => chain!.revision);
      }),
    );
    for (const places of found) expect(places).toEqual(found[0]);
    return found[0]!;
  };

  it('is its hash', async () => expect(await unproven()).toEqual([]));

  it.each([0, 3, EVENTS - 1])(
    'is none where the content, the hash or the previous hash was changed: %i',
    async (place) => {
      await change(`data = '{"forged":true}'`, `chain_revision = ${place}`);
      expect(await unproven()).toEqual([place]);
      await change('previous_hash = sha256(previous_hash)', `chain_revision = ${place}`);
      expect(await unproven()).toEqual([place]);
    },
  );

  it.each([0, 3, EVENTS - 1])('is none where the hash was computed anew: %i', async (place) => {
    const entry = (await history(100)).find(({ chain }) => chain?.revision === place)!;
    const forged = chainHash({ ...entry, data: { forged: true } }, entry.chain!.previousHash);
    await change(`data = '{"forged":true}', hash = decode($2, 'hex')`, `chain_revision = ${place}`, forged);
    expect(await unproven()).toEqual([place]);
  });

  it.each([
    [0, -1],
    [3, -1],
    [3, 40],
    [EVENTS - 1, -1],
  ])('is none where an event was moved to another place: %i to %i', async (from, to) => {
    await change(`chain_revision = ${to}`, `chain_revision = ${from}`);
    expect(await unproven()).toEqual([to]);
  });

  it.each([2, EVENTS - 1])('is none where the event above does not follow what was inserted: %i', async (place) => {
    const below = (await history(100)).find(({ chain }) => chain?.revision === place)!;
    const position = Number(below.cursor) + 1;
    const forged = { ...below, id: randomUUID(), data: { forged: true }, revision: 99 };
    await pool.query('delete from events where position = $1', [position]); // of another organization
    await pool.query(
      `insert into events (position, organization, chain_revision, stream, revision, id, type, data, metadata, hash, previous_hash)
       select $2, organization, 900, stream, 99, $3, type, '{"forged":true}', metadata, decode($4, 'hex'), hash
       from events where organization = $1 and chain_revision = $5`,
      [organization, position, forged.id, chainHash(forged, below.chain!.hash), place],
    );
    expect(await unproven()).toEqual([900]);
  });
});
