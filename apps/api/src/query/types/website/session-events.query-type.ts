import { encodeEventId } from '@ledgerline/contracts/events/event-id';
import { kindOfHit } from '@ledgerline/contracts/read-models/event-kinds';
import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { customEvents, vitals } from '@ledgerline/contracts/read-models/website-facts';
import { type Sql, sql } from '@ledgerline/platform/database/sql';
import {
  type ResultField,
  type SqlRow,
  requiredCell,
  idIn,
  numberCell,
  objectField,
  nullableField,
  textField,
  textIn,
  timestamp,
  withoutDashes,
} from '../../declaration/fields';
import type { QueryContext } from '../../declaration/query-context';
import { queryType } from '../../declaration/query-type';
import { TOTAL_ROWS, orderOfTime, singlesPageSql } from '../../sql/rows';
import { hitParts, hitsSql, NAME } from '../../sql/sessions';
import { ALWAYS } from '../../sql/time';

const EVENT = { time: timestamp, event_name: textField, path: nullableField(textField), properties: objectField };

/** The fields that {@link sessionEvent} returns. */
export const SESSION_EVENT: Readonly<Record<keyof SessionEvent, ResultField>> = { id: textField, ...EVENT };

export const sessionEventsQuery = queryType({
  name: 'session_events',
  shape: 'list',
  category: 'Sessions',
  description: 'Every event of one session, oldest first, whatever dates are asked for',
  takes: { filters: ['session_id'] },
  fields: { session_id: textField, visitor_id: nullableField(textField), event_id: textField, ...EVENT },
  sources: { facts: eventsOfSession, singles: { sortedBy: ['time'] } },
  row(found) {
    const [event] = sessionEvents([requiredCell(found, 'hit')]);
    const sessionId = withoutDashes(textIn(found, 'session'));
    return { session_id: sessionId, visitor_id: idIn(found, 'visitor'), event_id: event?.id, ...event };
  },
});

function eventsOfSession(context: QueryContext): Sql {
  return singlesPageSql(context, {
    row: 'h',
    found: sql`*, ${TOTAL_ROWS}`,
    from: hitsSql(context, ALWAYS, {
      of: sql`s.session, s.actor`,
      columns: ['id', 'path', NAME],
    }),
    order: orderOfTime(context, 'h', 'asc'),
    columns: sql`h.session, nullif(h.actor, h.session) as visitor, ${hitAsJson(context, sql`h.actor`)} as hit, h.total_rows::float8 as total_rows`,
  });
}

interface FoundHit {
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  readonly kind: number;
  readonly path: string | null;
  readonly text: string | null;
  readonly properties: Readonly<Record<string, unknown>> | null;
  /** The value of a vital, in millionths; null where a later report of the page replaced it. */
  readonly micros: number | null;
}

/** A hit `h` as {@link FoundHit}, with its texts, the properties of its custom event and the value of its vital. */
const hitAsJson = ({ table, website }: QueryContext, actor: Sql): Sql => sql`json_build_object(
    'id', h.id, 'at', extract(epoch from h.at) * 1000, 'kind', h.kind,
    'path', (select text from dictionary where id = h.path), 'text', (select text from dictionary where id = h.name),
    'properties', (
      select c.properties from ${table(customEvents)} c
      where h.kind = ${HIT.custom} and c.website = ${website} and c.at = h.at and c.id = h.id and c.actor = ${actor}
    ),
    'micros', (
      select v.micros from ${table(vitals)} v
      where h.kind = ${HIT.vital} and v.website = ${website} and v.at = h.at and v.id = h.id and v.actor = ${actor}
    )
  )`;

/** The hits of a session `s` as JSON, in order. */
export const hitsOfSession = (context: QueryContext): Sql => sql`(
    select json_agg(${hitAsJson(context, sql`coalesce(s.visitor, s.session)`)} order by h.at, h.id)
    from ${hitParts(['at', 'id', 'kind', 'path', NAME])}
  )`;

/** The name of the event of a row with its kind and, of a custom event, its text. */
export const eventName = (row: SqlRow): string => nameOf(numberCell(row, 'kind'), textIn(row, 'text'));

const nameOf = (kind: number, text: string | null): string => kindOfHit(kind)?.label ?? text ?? '';

/** The events of a session as callers see them. */
export const sessionEvents = (hits: unknown): readonly SessionEvent[] =>
  (Array.isArray(hits) ? (hits as readonly FoundHit[]) : []).map(sessionEvent);

const sessionEvent = (hit: FoundHit) => ({
  id: shownEventId(hit.id),
  time: new Date(Math.round(hit.at)).toISOString(),
  event_name: nameOf(hit.kind, hit.text),
  path: hit.path,
  properties: propertiesOf(hit),
});

type SessionEvent = ReturnType<typeof sessionEvent>;

const shownEventId = (uuid: string): string => encodeEventId(Buffer.from(withoutDashes(uuid), 'hex'));

function propertiesOf({ kind, text, properties, micros }: FoundHit): Readonly<Record<string, unknown>> {
  if (kind === HIT.custom) return properties ?? {};
  const { named } = kindOfHit(kind) ?? {};
  if (text === null || named === undefined) return {};
  return { [named.as]: text, ...(micros === null ? {} : { value: micros / 1_000_000 }) };
}
