import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { encodeEventId } from '@ledgerline/contracts/events/event-id';
import type { VisitorIdentified } from '@ledgerline/contracts/events/observed-events';
import type { Traits } from '@ledgerline/contracts/read-models/profiles';
import { comparingRows, type AnswerRow } from '@ledgerline/domain/query/rows';
import { addDays } from '@ledgerline/domain/time/zones';
import { openDataSource } from '@ledgerline/platform/database/data-source';
import { ProfileKey, ProfileKeys } from '@ledgerline/platform/profiles/profile-keys';
import { sealProfile } from '@ledgerline/platform/profiles/sealed-profile';
import { CATALOGUE, queryTypeNamed } from '../../apps/api/src/query/types/catalogue';
import { traffic, type Traffic } from '../oracle/random-traffic';
import { runs } from '../random-runs';
import { asking, type TypeRequest } from './answer-type';
import { openProjectedDatabase, type ProjectedDatabase } from './projected-database';

interface Said {
  readonly visitor: number;
  readonly profile: string;
  readonly minute: number;
  readonly traits: Traits;
}

const value = fc.constantFrom(null, 'Ann', 'Bob', '', 7);
const said: fc.Arbitrary<Said> = fc.record({
  visitor: fc.nat(4),
  profile: fc.constantFrom('ann@example.com', 'bob@example.com'),
  minute: fc.nat(3),
  traits: fc.record({ name: value, username: value, email: value }, { requiredKeys: [] }),
});

describe('profiles', () => {
  it('are what visitors said last, in whatever order and however often it arrives', async () => {
    const property = fc.asyncProperty(
      traffic,
      fc.array(said, { maxLength: 15 }),
      fc.nat(5),
      async (some, all, batch) => {
        const wish = await sendTraffic(some);
        const events = await identified(all, wish);
        await database.send(wish.id, events, batch + 1);
        await database.send(wish.id, [...events].reverse().slice(0, 3));
        const visitors = visitorsOf(some, wish.id);
        const recent = await (await asking(database.pool, wish))(queryTypeNamed('custom_events_recent')!);
        for (const row of [...(await profilesFor(wish)), ...recent]) {
          const known = expectedIdentity(all, visitors.indexOf(row['visitor_id'] as string));
          expect({ profile_id: row['profile_id'], display_name: row['display_name'] }).toEqual(known);
          named += known.display_name === null ? 0 : 1;
        }
      },
    );
    await fc.assert(property, { seed: SEED, numRuns: 20, endOnFailure: true });
    expect(named).toBeGreaterThan(10);
  }, 120_000);

  it('change no count', async () => {
    const property = fc.asyncProperty(traffic, fc.array(said, { minLength: 5, maxLength: 9 }), async (some, all) => {
      const wish = await sendTraffic(some);
      const before = await everything(wish);
      await database.send(wish.id, await identified(all, wish));
      expect(await everything(wish)).toEqual(before);
    });
    await fc.assert(property, { seed: SEED, numRuns: runs(3), endOnFailure: true });
  }, 120_000);

  it('are unreadable once they are forgotten, also after a rebuild, and known again when somebody says so again', async () => {
    const [some] = fc.sample(traffic, { seed: SEED, numRuns: 50 }).filter(hasProfiles) as [Traffic];
    const wish = await sendTraffic(some);
    const visitor = (await profilesFor(wish))[0]!['visitor_id'] as string;
    const place = visitorsOf(some, wish.id).indexOf(visitor);
    const ann = (minute: number) =>
      identified([{ visitor: place, profile: 'ann@example.com', minute, traits: { name: 'Ann' } }], wish);
    const nameNow = async () => {
      const row = (await profilesFor(wish)).find((each) => each['visitor_id'] === visitor);
      return [row?.['profile_id'], row?.['display_name']];
    };
    await database.send(wish.id, await ann(0));
    expect(await nameNow()).toEqual(['ann@example.com', 'Ann']);
    const keys = new ProfileKeys(source);
    await keys.destroy(wish.id, (await keys.subjectOf(wish.id, 'ann@example.com'))!);
    expect(await nameNow()).toEqual([null, null]);
    await database.send(wish.id, await ann(1));
    expect(await nameNow()).toEqual(['ann@example.com', 'Ann']);
  });

  it('are sorted by each of their sums both ways, and by the newest session among equals', async () => {
    const property = fc.asyncProperty(traffic, async (some) => {
      const wish = await sendTraffic(some);
      const newestFirst = await profilesFor(wish);
      for (const field of profileList.sources.singles?.sortedBy ?? []) {
        for (const direction of ['asc', 'desc'] as const) {
          const expected = [...newestFirst].sort(comparingRows([{ field, direction }]));
          expect(await profilesFor({ ...wish, sort: { field, direction } })).toEqual(expected);
          const second = { ...wish, sort: { field, direction }, page: 2, limit: 1 };
          expect(await profilesFor(second)).toEqual(expected.slice(1, 2));
        }
      }
      most = Math.max(most, newestFirst.length);
    });
    await fc.assert(property, { seed: SEED, numRuns: 6, endOnFailure: true });
    expect(most).toBeGreaterThan(2);
  }, 120_000);
});

const SEED = 20_261_122;
const SITE = { websiteId: 'x', organizationId: 'org_1', zone: 'UTC' };
const START = Date.parse('2026-03-01T00:00:00Z');
const profileList = queryTypeNamed('profile_list')!;

let database: ProjectedDatabase;
let source: DataSource;
let subjects = 0;
let named = 0;
let most = 0;
let sent = 0;

beforeAll(async () => {
  database = await openProjectedDatabase();
  source = await openDataSource({ url: database.url, name: 'spec', max: 1, entities: [ProfileKey] });
});
afterAll(async () => {
  await source.destroy();
  await database.close();
});

/** Sends the traffic to a new website, and returns the request that asks for all of it. */
async function sendTraffic(some: Traffic): Promise<TypeRequest> {
  const id = `site_${++subjects}`;
  await database.send(id, some.events({ ...SITE, websiteId: id }));
  const startDate = addDays(some.start, -2);
  const endDate = addDays(some.start, 120);
  const now = Date.parse('2027-01-01T00:00:00Z');
  const range = { startDate, endDate, timezone: 'UTC', ownZone: 'UTC', granularity: 'daily' as const };
  return { about: 'website', id, ...range, filters: [], now };
}

const profilesFor = async (wish: TypeRequest): Promise<readonly AnswerRow[]> =>
  (await asking(database.pool, wish))(profileList);

const hasProfiles = (some: Traffic) =>
  some.events(SITE).some(({ type, data }) => type === 'PageViewed' && data.visitorId !== null);

/** The visitors of the traffic in a fixed order. */
const visitorsOf = (some: Traffic, websiteId: string): string[] =>
  [...new Set(some.events({ ...SITE, websiteId }).flatMap(({ data }) => data.visitorId ?? []))].sort();

async function identified(all: readonly Said[], { id: websiteId }: TypeRequest): Promise<VisitorIdentified[]> {
  const { rows: dictionary } = await database.pool.query<{ visitor: string }>(
    `select distinct replace(visitor::text, '-', '') as visitor from websites_v1.sessions s
        join dictionary d on d.id = s.website where d.text = $1 and visitor is not null order by 1`,
    [websiteId],
  );
  return Promise.all(
    all.map(async ({ visitor, profile, minute, traits }, place) => {
      const key = await new ProfileKeys(source).obtain(websiteId, profile);
      const stamp = { organizationId: 'org_1', websiteId, zone: 'UTC', identity: 'stable' as const, sessionId: null };
      const visitorId = dictionary[visitor]?.visitor ?? null;
      const at = START + minute * 60_000;
      const data = { ...stamp, visitorId, ...sealProfile(key, profile, traits) };
      return { type: 'VisitorIdentified' as const, id: idOf(place), at, receivedAt: at, data };
    }),
  );
}

/** Ids that grow with the place, unique over all runs. */
function idOf(place: number): string {
  const bytes = createHash('sha256').update(`${sent++}`).digest().subarray(0, 16);
  bytes.writeUInt32BE(place);
  return encodeEventId(bytes);
}

/** Plain loops: the last profile the visitor named, and the last value of each of its traits, whoever set it. */
function expectedIdentity(
  all: readonly Said[],
  visitor: number,
): { profile_id: string | null; display_name: string | null } {
  const inOrder = all.map((one, place) => ({ ...one, place })).sort((a, b) => a.minute - b.minute || a.place - b.place);
  let profile: string | null = null;
  for (const one of inOrder) if (one.visitor === visitor) profile = one.profile;
  let traits: Traits = {};
  for (const one of inOrder) if (one.profile === profile) traits = { ...traits, ...one.traits };
  const texts = [traits['name'], traits['username'], traits['email']];
  const display_name = texts.find((text): text is string => typeof text === 'string' && text !== '') ?? null;
  return { profile_id: profile, display_name: profile === null ? null : display_name };
}

/** The rows of every type, without what profiles may say. */
async function everything(wish: TypeRequest): Promise<unknown> {
  const answers: Record<string, unknown> = {};
  for (const type of CATALOGUE.filter(({ about }) => about === 'website')) {
    const filters = type.takes.ids.map((field) => ({ field, op: 'eq' as const, value: 'f'.repeat(32) }));
    const rows = await (await asking(database.pool, { ...wish, filters }))(type);
    answers[type.name] = rows.map((row) => ({ ...row, profile_id: null, display_name: null }));
  }
  return answers;
}
