import { SESSION_ATTRIBUTES } from '@ledgerline/contracts/attributes';
import { decodeEventId } from '@ledgerline/contracts/events/event-id';
import { kindOfHit } from '@ledgerline/contracts/read-models/event-kinds';
import { visitorProfiles } from '@ledgerline/contracts/read-models/profiles';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { sessions } from '@ledgerline/contracts/read-models/sessions';
import { type SessionAttributes, type SessionHit, hitValue } from '@ledgerline/contracts/sessions/session';
import { singleEventId } from '@ledgerline/domain/sessions/add-hits';
import { calendarOf } from '@ledgerline/domain/time/zones';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { WrittenTables } from '../projections/projection-group';
import {
  factsOf,
  attributesOf,
  HIT_TYPES,
  isWebsiteEvent,
  hitPart,
  type HitPart,
} from '../projections/websites/read-hit';
import { isIdentificationEvent, PROFILE_TYPES } from '../projections/websites/websites-group';
import { hashText, mixHash, mixedColumns, mixedId } from './digest';
import { answeringTable, type EventDigest } from './log-part';

/** Columns of facts that are in the hash of their event, or depend on other events. */
const NOT_OWN: ReadonlySet<string> = new Set(['website', 'at', 'id', 'actor', 'session']);

/** The columns of a table of facts that follow from their event alone. */
export const ownColumns = ({ columns }: ReadModel): readonly string[] =>
  Object.keys(columns).filter((name) => !NOT_OWN.has(name));

/** The hash of what one visitor did in a session that a client has named; null = in another one. */
export const hashSession = (actor: number, session: string | null): number =>
  session === null ? mixHash(actor, 1) : mixedId(actor, session);

/** The hash of a website's event, whatever else a table has of it. */
export const hashEvent = (actor: number, { at, id }: Pick<SessionHit, 'at' | 'id'>): number =>
  mixedId(mixHash(actor, at), id);

/** The hash of a hit whose texts are hashes. */
export function hashHit(event: number, { kind, path, hostname, values }: HitPart): number {
  let hash = mixHash(mixHash(mixHash(event, kind), path), hostname);
  for (const value of values) hash = mixHash(hash, value);
  return hash;
}

/** The hash of a page view with its attributes. @param map from what these hold to the hashes of their texts */
export const hashView = (event: number, attributes: SessionAttributes, map: (text: number) => number): number =>
  SESSION_ATTRIBUTES.reduce((bits, name) => mixHash(bits, map(attributes[name])), event);

/** A stored hit with something else in the place of its text ids. */
export function mapTexts(hit: SessionHit, map: (id: number) => number): HitPart {
  const { kind, path, hostname } = hit;
  const fields = Object.values(kindOfHit(kind)?.fields ?? {});
  const values = fields.map(({ isText }, place) => (isText ? map(hitValue(hit, place)) : hitValue(hit, place)));
  return { kind, path: map(path), hostname: map(hostname), values, from: 0 };
}

/**
 * Each hit of a website is in a session, and perhaps in the table of facts of its type; with the columns that these tables
 * have. Identifications are only counted: of a visitor and a trait the tables have the latest one.
 * @param withViews whether page views are hashed with their attributes, too
 */
export function digestHits(tables: WrittenTables, { withViews }: { readonly withViews: boolean }): EventDigest {
  const columns = new Map<ReadModel, readonly string[]>();
  const columnsIn = (builds: ReadModel) => {
    const known = columns.get(builds) ?? ownColumns(answeringTable(tables, builds)?.model ?? builds);
    columns.set(builds, known);
    return known;
  };
  const of: EventDigest['of'] = (event) => {
    if (!isWebsiteEvent(event) && !isIdentificationEvent(event)) return undefined;
    const { at, data } = event;
    const id = decodeEventId(event.id).toString('hex');
    const actor = data.visitorId ?? data.sessionId ?? singleEventId({ id, at });
    const day = calendarOf(data.zone).day(at);
    const digested = { subject: data.websiteId, day, zone: data.zone, identity: () => [`${actor} ${id}`, at] as const };
    if (isIdentificationEvent(event)) return { ...digested, hashes: { [visitorProfiles.name]: mixedId(at, id) } };
    const of = mixedId(0, actor);
    const inSession = hashEvent(hashSession(of, data.sessionId), { at, id });
    const hashes: Record<string, number> = { [sessions.name]: hashHit(inSession, hitPart(event, hashText)) };
    const facts = factsOf(event.type);
    if (facts) {
      const { builds, columnsOf } = facts;
      const columns = columnsOf(event.data, hashText);
      const row = columns && { visitor: data.visitorId, ...columns };
      if (row) hashes[builds.name] = mixedColumns(hashEvent(of, { at, id }), builds, columnsIn(builds), row);
    }
    if (!withViews || event.type !== 'PageViewed') return { ...digested, hashes };
    const view = hashView(inSession, attributesOf(event, hashText), (hash) => hash);
    return { ...digested, hashes, view };
  };
  return { types: [...HIT_TYPES, ...PROFILE_TYPES], of };
}

/** More are read anew. */
const MAX_KNOWN = 200_000;

/** The hashes of the texts of a website by their ids. */
export class TextHashes {
  /** Ids that no text of the website has, with a day of each. */
  readonly missing = new Map<number, number>();
  private readonly known = new Map<number, number>();

  constructor(
    private readonly on: Queryable,
    private readonly website: number,
  ) {}

  /** @param ids with a day of each */
  async load(ids: ReadonlyMap<number, number>): Promise<void> {
    if (this.known.size > MAX_KNOWN) this.known.clear();
    this.known.set(0, 0);
    const unknown = [...ids.keys()].filter((id) => !this.known.has(id));
    const rows = await run<{ id: number; hash: number }>(
      this.on,
      sql`select id, ('x' || substr(hash::text, 1, 8))::bit(32)::integer as hash from dictionary
        where id = any(${unknown}::integer[]) and scope = ${this.website}`,
    );
    for (const { id, hash } of rows) this.known.set(id, hash);
    for (const id of unknown) if (!this.known.has(id)) this.missing.set(id, ids.get(id) ?? 0);
  }

  has = (id: number): boolean => this.known.has(id);

  /** Returns the text of an id that was loaded; another number for one without a text. */
  of = (id: number): number => this.known.get(id) ?? -1;
}
