import { sessions as sessionsModel } from '@ledgerline/contracts/read-models/sessions';
import { ATTRIBUTES, type Attributes, type Session } from '@ledgerline/domain/sessions/session';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { BinaryRowReader } from '@ledgerline/platform/database/binary-row-reader';
import { identifier } from '@ledgerline/platform/database/sql';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import type { StoredVisitor } from '../projection-group';
import { STORED_COLUMNS, StoredSession } from './stored-session';

/** One visitor of a website, or one session or event without a visitor. */
export interface ActorKey {
  /** Text id. */
  readonly website: number;
  /** 32 hex digits. */
  readonly actor: string;
}

export const actorKeyOf = ({ website, actor }: ActorKey): string => `${website} ${actor}`;

export interface NumberedVisitor extends ActorKey {
  readonly visitor: string | null;
  /** Null without a visitor. */
  readonly number: number | null;
}

export function sessionRow({ website, actor, visitor, number }: NumberedVisitor, session: Session): Row {
  const { hits } = session;
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
    hit_text: hits.map(({ text }) => text),
    hit_extra: hits.map(({ extra }) => extra),
  };
}

const UNKNOWN = Object.fromEntries(ATTRIBUTES.map((name) => [name, 0])) as Attributes;

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
