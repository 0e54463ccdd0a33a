import { SESSION_ATTRIBUTES, type SessionAttribute } from '@ledgerline/contracts/attributes';
import { fromKeys } from '@ledgerline/contracts/json';
import { BinaryRowReader } from '@ledgerline/contracts/read-models/binary-format';
import { widthOfHit } from '@ledgerline/contracts/read-models/event-kinds';
import { sessions as sessionsModel } from '@ledgerline/contracts/read-models/sessions';
import {
  addValues,
  type SessionAttributes,
  type Session,
  type SessionHit,
  type SessionKind,
} from '@ledgerline/contracts/sessions/session';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { type Queryable, readInPortions, run } from '@ledgerline/platform/database/pool';
import type { ReadModelRow } from '@ledgerline/platform/database/read-model-rows';
import { identifier, type Sql, sql } from '@ledgerline/platform/database/sql';
import type { StoredVisitor } from '../projection-group';
import { type ActorKey, actorKeyOf } from './read-hit';

interface NumberedVisitor extends ActorKey {
  readonly visitor: string | null;
  /** Null without a visitor. */
  readonly number: number | null;
}

export function sessionRow({ website, actor, visitor, number }: NumberedVisitor, session: Session): ReadModelRow {
  const { hits } = session;
  const values: number[] = [];
  for (const hit of hits) addValues(values, hit);
  return {
    website,
    actor,
    session: session.id,
    kind: session.kind,
    visitor,
    visitor_number: number,
    first_at: session.firstAt,
    last_at: session.lastAt,
    entered_at: session.enteredAt,
    pageviews: session.pageviews,
    custom_events: session.customEvents,
    outgoing_links: session.outgoingLinks,
    bounced: session.bounced,
    duration_ms: session.durationMs,
    entry_path: session.entryPath,
    exit_path: session.exitPath,
    ...(session.attributes ?? UNKNOWN),
    hit_at: hits.map(({ at }) => at),
    hit_id: hits.map(({ id }) => id),
    hit_kind: hits.map(({ kind }) => kind),
    hit_path: hits.map(({ path }) => path),
    hit_hostname: hits.map(({ hostname }) => hostname),
    hit_values: values,
  };
}

const UNKNOWN: SessionAttributes = fromKeys(SESSION_ATTRIBUTES, () => 0);

/** These visitors with all their sessions, by {@link actorKeyOf}; without those that have none. */
export async function loadVisitors(
  on: Queryable,
  schema: string,
  visitors: readonly ActorKey[],
): Promise<Map<string, StoredVisitor>> {
  const text = `select record_send(row(place::integer, visitor_number, ${STORED_COLUMNS.join(', ')})) as record
    from unnest($1::integer[], $2::uuid[]) with ordinality as wanted (website, actor, place)
    join ${identifier(schema, sessionsModel.name).text} using (website, actor)`;
  const websites = visitors.map(({ website }) => website);
  const ids = visitors.map(({ actor }) => actor);
  const values = [binaryArray('integer', websites), binaryArray('uuid', ids)];
  const keys = visitors.map(actorKeyOf);
  const loaded = new Map<string, StoredVisitor & { readonly sessions: Session[] }>();
  for (const { record } of await run<{ record: Buffer }>(on, { name: `sessions ${schema}`, text, values })) {
    const reader = new BinaryRowReader(record);
    const key = keys[reader.integer() - 1] as string; // places are those of `visitors`
    const number = reader.integerOrNull();
    const session = new StoredSession(reader);
    const visitor = loaded.get(key);
    if (visitor) visitor.sessions.push(session);
    else loaded.set(key, { number, sessions: [session] });
  }
  return loaded;
}

/** Some visitors of a website: those whose ids are in a range, by 32 hex digits. */
export interface ActorRange {
  readonly website: number;
  readonly first: string;
  readonly last: string;
}

/** These visitors by their ids with all their sessions, some at a time; inside a transaction. */
export const readVisitors = (on: Queryable, schema: string, { website, first, last }: ActorRange) =>
  readSessionsWith(
    on,
    schema,
    sql`website = ${website} and actor between ${first}::uuid and ${last}::uuid order by actor`,
  );

/** Page views, events and sessions, about, of visitors that are in memory together; of one visitor all. */
const AT_ONCE = 20_000;

/**
 * The sessions that meet a condition by their visitors, some at a time; inside a transaction. Where they are not ordered by
 * visitor, one may come again with more of them.
 */
export async function* readSessionsWith(
  on: Queryable,
  schema: string,
  where: Sql,
): AsyncIterable<ReadonlyMap<string, StoredVisitor>> {
  const text = `select record_send(row(actor, visitor_number, ${STORED_COLUMNS.join(', ')})) as record
    from ${identifier(schema, sessionsModel.name).text} where ${where.text}`;
  let visitors = new Map<string, StoredVisitor & { readonly sessions: Session[] }>();
  let held = 0;
  for await (const rows of readInPortions<{ record: Buffer }>(on, { text, values: where.values })) {
    for (const { record } of rows) {
      const reader = new BinaryRowReader(record);
      const actor = reader.uuid();
      const number = reader.integerOrNull();
      const session = new StoredSession(reader);
      const visitor = visitors.get(actor);
      if (!visitor && held > AT_ONCE) {
        yield visitors;
        visitors = new Map();
        held = 0;
      }
      if (visitor) visitor.sessions.push(session);
      else visitors.set(actor, { number, sessions: [session] });
      held += 1 + session.pageviews + session.customEvents + session.outgoingLinks;
    }
  }
  if (visitors.size > 0) yield visitors;
}

/** The columns of the read model `sessions` a {@link StoredSession} is read from, in that order. */
const STORED_COLUMNS = [
  ...['session', 'kind', 'first_at', 'last_at', 'entered_at', 'pageviews', 'custom_events', 'outgoing_links'],
  ...['bounced', 'duration_ms', 'entry_path', 'exit_path', ...SESSION_ATTRIBUTES],
  ...['hit_at', 'hit_kind', 'hit_path', 'hit_hostname', 'hit_values', 'hit_id'],
];

/** A session decoded from its row; attributes and hits only when they are read, as most of a long history never are. */
class StoredSession implements Session {
  readonly id: string;
  readonly kind: SessionKind;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly enteredAt: number | null;
  readonly pageviews: number;
  readonly customEvents: number;
  readonly outgoingLinks: number;
  readonly bounced: boolean;
  readonly durationMs: number;
  readonly entryPath: number;
  readonly exitPath: number;
  private decodedAttributes: SessionAttributes | undefined;
  private decodedHits: readonly SessionHit[] | undefined;

  /** Reads on from the first of the columns, and keeps the record. */
  constructor(private readonly record: BinaryRowReader) {
    this.id = record.uuid();
    this.kind = record.smallint() as SessionKind;
    this.firstAt = record.timestamp();
    this.lastAt = record.timestamp();
    this.enteredAt = record.timestampOrNull();
    this.pageviews = record.integer();
    this.customEvents = record.integer();
    this.outgoingLinks = record.integer();
    this.bounced = record.boolean();
    this.durationMs = record.bigint();
    this.entryPath = record.integer();
    this.exitPath = record.integer();
  }

  get attributes(): SessionAttributes | undefined {
    const attributes = (this.decodedAttributes ??= readAttributes(this.record));
    return this.enteredAt === null ? undefined : attributes;
  }

  get hits(): readonly SessionHit[] {
    this.decodedAttributes ??= readAttributes(this.record); // they precede the hits
    return (this.decodedHits ??= readHits(this.record));
  }
}

/** Added in the order of SESSION_ATTRIBUTES, so that these objects are of one shape with those of new page views. */
function readAttributes(record: BinaryRowReader): SessionAttributes {
  const attributes: Partial<Record<SessionAttribute, number>> = {};
  for (const name of SESSION_ATTRIBUTES) attributes[name] = record.integer();
  return attributes as SessionAttributes; // every one of them was read
}

function readHits(record: BinaryRowReader): SessionHit[] {
  const at = record.timestamps();
  const kinds = record.smallints();
  const paths = record.integers();
  const hostnames = record.integers();
  const values = record.integers();
  const ids = record.placesOfUuids();
  let from = 0;
  return at.map((time, n) => {
    const kind = kinds[n] ?? 0;
    const hit = new StoredHit(time, kind, paths[n] ?? 0, hostnames[n] ?? 0, values, from, record, ids[n] ?? 0);
    from += widthOfHit(kind);
    return hit;
  });
}

class StoredHit implements SessionHit {
  constructor(
    readonly at: number,
    readonly kind: number,
    readonly path: number,
    readonly hostname: number,
    readonly values: readonly number[],
    readonly from: number,
    private readonly record: BinaryRowReader,
    private readonly place: number,
  ) {}

  get id(): string {
    return this.record.uuidAt(this.place);
  }
}
