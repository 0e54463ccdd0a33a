import { sessions as sessionsModel } from '@ledgerline/contracts/read-models/sessions';
import { ATTRIBUTES, type Attributes, type Session } from '@ledgerline/domain/sessions/session';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { RecordReader } from '@ledgerline/platform/database/record-reader';
import { identifier } from '@ledgerline/platform/database/sql';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import { STORED_COLUMNS, StoredSession } from './stored-session';

/** Whose sessions: one visitor (or session, or event, of nobody) on one website. */
export interface UnitKey {
  /** Word id. */
  readonly website: number;
  /** 32 hex digits. */
  readonly unit: string;
}

export const unitKeyOf = ({ website, unit }: UnitKey): string => `${website} ${unit}`;

export function sessionRow({ website, unit }: UnitKey, visitor: string | null, session: Session): Row {
  const { hits } = session;
  return {
    website,
    unit,
    session: session.id,
    kind: session.kind,
    visitor,
    first_at: session.firstAt,
    last_at: session.lastAt,
    entered_at: session.enteredAt,
    pageviews: session.pageviews,
    custom_events: session.customEvents,
    outgoing_links: session.outgoingLinks,
    errors: session.errors,
    bounced: session.bounced,
    duration_ms: session.durationMs,
    entry_path: session.entryPath,
    exit_path: session.exitPath,
    ...(session.attributes ?? UNKNOWN),
    hit_at: hits.map(({ at }) => at),
    hit_id: hits.map(({ id }) => id),
    hit_kind: hits.map(({ kind }) => kind),
    hit_path: hits.map(({ path }) => path),
    hit_word: hits.map(({ word }) => word),
    hit_more: hits.map(({ more }) => more),
  };
}

const UNKNOWN = Object.fromEntries(ATTRIBUTES.map((name) => [name, 0])) as Attributes;

/** All sessions of these units, by {@link unitKeyOf}; units nobody has seen yet are missing. */
export async function loadSessions(
  on: Queryable,
  schema: string,
  units: readonly UnitKey[],
): Promise<Map<string, Session[]>> {
  const text = `select record_send(row(place::integer, ${STORED_COLUMNS.join(', ')})) as record
    from unnest($1::integer[], $2::uuid[]) with ordinality as wanted (website, unit, place)
    join ${identifier(schema, sessionsModel.name).text} using (website, unit)`;
  const websites = units.map(({ website }) => website);
  const ids = units.map(({ unit }) => unit);
  const values = [binaryArray('integer', websites), binaryArray('uuid', ids)];
  const keys = units.map(unitKeyOf);
  const loaded = new Map<string, Session[]>();
  for (const { record } of await run<{ record: Buffer }>(on, { text, values })) {
    const reader = new RecordReader(record);
    const key = keys[reader.integer() - 1] as string; // places are those of `units`
    const session = new StoredSession(reader);
    const known = loaded.get(key);
    if (known) known.push(session);
    else loaded.set(key, [session]);
  }
  return loaded;
}
