import type { Pool } from 'pg';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { profileTraits, visitorProfiles } from '@ledgerline/contracts/read-models/profiles';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { hrefsOf } from '@ledgerline/contracts/sessions/session';
import { type ErasureRule, fewIds } from '@ledgerline/domain/erasures/erasure-rules';
import { calendarOf } from '@ledgerline/domain/time/zones';
import { type Queryable, run, transaction } from '@ledgerline/platform/database/pool';
import { identifier, joinSql, sql } from '@ledgerline/platform/database/sql';
import { hitsIn, type ReadPart } from '@ledgerline/platform/intake-log/hits-in';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import { retractRollups } from '../compaction/retract-rollups';
import { openLongRunningPool } from '../open-pool';
import { Dictionary, findWebsite } from '../projections/websites/dictionary';
import { HrefDomains } from '../projections/websites/href-domains';
import { isWebsiteEvent, readHit } from '../projections/websites/read-hit';
import { removeVisitors } from '../projections/websites/remove-visitors';
import { deleteTexts, unusedTexts } from '../projections/websites/used-texts';
import { PROFILE_TYPES, isIdentificationEvent } from '../projections/websites/websites-group';
import { forgetFindings } from '../reconcile/findings';
import { type LivePartition, positionOf } from '../reconcile/log-part';
import { HELD, holdProjector } from '../reconcile/repair';
import type { BoundGroup } from '../runner/bound-group';
import { deleteErased } from '../runner/parked-events';
import { findErased } from './erased-hits';

/** Visitors of a website that are erased, and what the log has of them. */
interface ErasedVisitors {
  readonly websiteId: string;
  /** Of visitors, sessions and profiles of the website. */
  readonly rules: readonly ErasureRule[];
  /** The part of the log that was read. */
  readonly part: ReadPart;
  readonly erased: readonly ObservedEvent[];
  /** From after the erasures. */
  readonly later: readonly LoggedHit[];
  /** Cursors of parked events that are erased. */
  readonly parked: readonly Cursor[];
}

/**
 * Takes visitors out of the live tables of a website: their sessions and facts go, and what the rollups have of them, and
 * the texts that nobody else has; hits from after the erasure are projected anew. Everybody else's rows stay as they are.
 * The projector of the partition waits meanwhile. False where the tables have something of them that the log has not, or
 * rollups cannot be read: then the website has to be projected anew.
 * @throws TablesRevised
 */
export async function eraseVisitors(group: BoundGroup, live: LivePartition, of: ErasedVisitors): Promise<boolean> {
  const pool = openLongRunningPool(live.pool);
  try {
    const website = await findWebsite(pool, of.websiteId);
    if (website === undefined) return of.erased.length === 0;
    if (of.erased.length === 0) return !(await hasSome(pool, live, { ...of, website }));
    await eraseFrom(pool, group, live, { ...of, website });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return false;
  } finally {
    await pool.end();
  }
  group.invalidateCaches();
  return true;
}

/** Returns whether the tables have anything of the visitors, or comparing has found something of their website. */
async function hasSome(
  on: Queryable,
  { tables, key }: LivePartition,
  { website, websiteId, rules }: ErasedVisitors & { readonly website: number },
): Promise<boolean> {
  const ids = rules.map(({ id }) => id);
  const profiles = tables
    .targetsOf(visitorProfiles)
    .map(
      ({ schema, model }) =>
        sql` union all select from ${identifier(schema, model.name)} where website = ${website} and subject = any(${ids}::uuid[])`,
    );
  const found = sql`
    select from ${identifier(tables.state, sessions.name)} where website = ${website} and actor = any(${ids}::uuid[])
    union all select from reconciliation_findings where projection_group = ${key.group} and subject = ${websiteId}
    ${joinSql(profiles, '')} limit 1`;
  return (await run(on, found)).length > 0;
}

async function eraseFrom(
  pool: Pool,
  group: BoundGroup,
  live: LivePartition,
  of: ErasedVisitors & { readonly website: number },
): Promise<void> {
  const { website, websiteId, rules, part, erased } = of;
  const { tables } = live;
  const dictionary = new Dictionary(live.pool);
  const domains = new HrefDomains(dictionary);
  const actors = rules.filter(({ kind }) => kind === 'visitor' || kind === 'session').map(({ id }) => id);
  const profiles = [...profilesOf(rules, erased)];
  const calendar = calendarOf(zoneOf(erased));
  const identified = await identifications(part, websiteId, profiles);
  const work = async (client: Queryable) => {
    await holdProjector(client, live);
    const upTo = await positionOf(client, live);
    const upToHead = { ...part, after: part.upTo, upTo: await live.log.head(part.partition) };
    const since = await findErased(upToHead, group.types, rules, new Set());
    if (!since.isWhole) throw new RangeError('The hits of erased visitors are too many to be held in memory.');
    const texts = await textsOf(dictionary, domains, website, [...erased, ...(since.erased.get(websiteId) ?? [])]);
    const identifiedSince = await identifications(upToHead, websiteId, profiles);
    const read = [...of.later, ...(since.later.get(websiteId) ?? []), ...identified, ...identifiedSince];
    const later = read.filter(
      ({ event, offset }) =>
        live.log.compare(String(offset), upTo) <= 0 &&
        !live.leftOut.has(String(offset)) &&
        live.erased.matching(event).length === 0,
    );
    const taken = await removeVisitors(client, tables, { website, calendar, actors, domains });
    await retractRollups(client, tables, { website, calendar, domains, taken });
    await removeProfiles(client, live, { website, actors, profiles });
    await group.project(client, tables, inOrder(later));
    await deleteErased(client, live.key, await live.log.epoch(), of.parked);
    await forgetFindings(client, live.key, websiteId);
    await deleteTexts(client, tables, website, await unusedTexts(client, tables, { website, websiteId }, texts));
  };
  await transaction(pool, work, HELD);
}

const zoneOf = (erased: readonly ObservedEvent[]): string => {
  for (const { data } of erased) if ('zone' in data) return data.zone;
  return 'UTC';
};

/** Those that are erased, and those that erased identifications were of. */
function profilesOf(rules: readonly ErasureRule[], erased: readonly ObservedEvent[]): ReadonlySet<string> {
  const profiles = new Set(rules.filter(({ kind }) => kind === 'profile').map(({ id }) => id));
  for (const event of erased) if (isIdentificationEvent(event)) profiles.add(event.data.subject);
  return profiles;
}

/** The ids of the texts that hits have; those that have none get one. */
const textsOf = (
  dictionary: Dictionary,
  domains: HrefDomains,
  website: number,
  events: readonly ObservedEvent[],
): Promise<ReadonlySet<number>> =>
  dictionary.collectUsed(async (used) => {
    const hits = await dictionary.intern(events.filter(isWebsiteEvent), readHit);
    await domains.resolve(website, hrefsOf(hits.map(({ arrival }) => arrival.hit)));
    return used;
  });

/** All identifications of these profiles. */
async function identifications(
  part: ReadPart,
  websiteId: string,
  profiles: readonly string[],
): Promise<readonly LoggedHit[]> {
  if (profiles.length === 0) return [];
  const found: LoggedHit[] = [];
  for await (const hit of hitsIn(part, { types: PROFILE_TYPES, naming: fewIds(profiles) }))
    if (isIdentificationEvent(hit.event) && hit.event.data.websiteId === websiteId)
      if (profiles.includes(hit.event.data.subject)) found.push(hit);
  return found;
}

async function removeProfiles(
  on: Queryable,
  { tables }: LivePartition,
  of: { readonly website: number; readonly actors: readonly string[]; readonly profiles: readonly string[] },
): Promise<void> {
  const { website, actors, profiles } = of;
  for (const { schema, model } of tables.targetsOf(visitorProfiles))
    await run(
      on,
      sql`delete from ${identifier(schema, model.name)} where website = ${website}
          and (visitor = any(${actors}::uuid[]) or subject = any(${profiles}::uuid[]))`,
    );
  for (const { schema, model } of tables.targetsOf(profileTraits))
    await run(
      on,
      sql`delete from ${identifier(schema, model.name)}
          where website = ${website} and subject = any(${profiles}::uuid[])`,
    );
}

/** In the order of the log, each once. */
const inOrder = (hits: readonly LoggedHit[]): readonly LoggedHit[] =>
  [...new Map(hits.map((hit) => [hit.offset, hit])).values()].sort((a, b) => a.offset - b.offset);
