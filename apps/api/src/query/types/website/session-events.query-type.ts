import { encodeEventId } from '@ledgerline/contracts/events/event-id';
import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { customEvents } from '@ledgerline/contracts/read-models/website-events';
import { emptySql, sql, type Sql } from '@ledgerline/platform/database/sql';
import { object, orNull, text, timestamp, type Field } from '../../fields';
import { columnOf, numberIn, textIn, timeIn, withoutDashes, type SqlRow } from '../../sql-row';
import { queryType, type QueryContext } from '../../query-type';
import { ALWAYS } from '../../sql/series';
import { hitsIn, ofAnyKind } from '../../sql/sessions';

export const sessionEventsQuery = queryType({
  name: 'session_events',
  about: 'website',
  shape: 'list',
  category: 'Sessions',
  isComparable: false,
  description: 'Every event of one session, oldest first, whatever dates are asked for',
  requiredFilters: ['session_id'],
  fields: {
    session_id: text,
    event_id: text,
    time: timestamp,
    event_name: text,
    path: orNull(text),
    properties: object,
  },
  sortedBySql: ['time'],
  sources: { facts: eventsOfSession },
  row(found) {
    const { id, ...event } = sessionEvent(hitOf(found));
    return { session_id: withoutDashes(textIn(found, 'session')), event_id: id, ...event };
  },
});

function eventsOfSession(context: QueryContext): Sql {
  const { page, sort, website } = context;
  const wanted = {
    kind: ofAnyKind(context),
    of: sql`s.session, s.actor`,
    columns: ['id', 'path', 'text'],
    where: emptySql,
  } as const;
  const order = sort?.direction === 'desc' ? sql`h.at desc, h.id desc` : sql`h.at, h.id`;
  return sql`
with hits as (
  select *, count(*) over () as total_rows from ${hitsIn(context, ALWAYS, wanted)}
  order by ${order} limit ${page.limit} offset ${(page.page - 1) * page.limit}
)
select h.session, h.id, h.at, h.kind::float8 as kind, path.text as path, content.text, c.properties,
  h.total_rows::float8 as total_rows
from hits h
left join dictionary path on path.id = h.path
left join dictionary content on content.id = h.text
left join ${context.table(customEvents)} c
  on h.kind = ${HIT.custom} and c.website = ${website} and c.at = h.at and c.id = h.id and c.actor = h.actor
order by ${order}`;
}

const hitOf = (found: SqlRow): FoundHit => ({
  id: textIn(found, 'id') || NO_ID,
  at: timeIn(found, 'at'),
  kind: numberIn(found, 'kind'),
  path: textIn(found, 'path') || null,
  text: textIn(found, 'text') || null,
  properties: columnOf(found, 'properties') as FoundHit['properties'],
});

const NO_ID = '0'.repeat(32);

/** Labels of events that have no name. */
const NAMES: Readonly<Record<number, string>> = {
  [HIT.view]: 'screen_view',
  [HIT.leave]: 'page_exit',
  [HIT.outgoing]: 'outgoing_link',
  [HIT.error]: 'error',
  [HIT.vital]: 'web_vital',
  [HIT.engagement]: 'engagement',
};

interface FoundHit {
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  readonly kind: number;
  readonly path: string | null;
  readonly text: string | null;
  readonly properties: Readonly<Record<string, unknown>> | null;
}

/** The hits of a session `s` as JSON, in order, with their texts. */
export const hitsOfSession = (context: QueryContext): Sql => sql`(
    select json_agg(json_build_object(
      'id', h.id, 'at', extract(epoch from h.at) * 1000, 'kind', h.kind, 'path', path.text, 'text', content.text,
      'properties', c.properties
    ) order by h.place)
    from unnest(s.hit_at, s.hit_id, s.hit_kind, s.hit_path, s.hit_text)
      with ordinality as h(at, id, kind, path, text, place)
    left join dictionary path on path.id = h.path
    left join dictionary content on content.id = h.text
    left join ${context.table(customEvents)} c
      on h.kind = ${HIT.custom} and c.website = ${context.website} and c.at = h.at and c.id = h.id and c.actor = coalesce(s.visitor, s.session)
  )`;

/** The name of the event of a row with its kind and, of a custom event, its text. */
export const eventName = (row: SqlRow): string => nameOf(numberIn(row, 'kind'), textIn(row, 'text'));

const nameOf = (kind: number, text: string | null): string =>
  kind === HIT.custom ? (text ?? '') : (NAMES[kind] ?? '');

/** The events of a session as callers see them. */
export const sessionEvents = (hits: unknown): readonly SessionEvent[] =>
  (Array.isArray(hits) ? (hits as readonly FoundHit[]) : []).map(sessionEvent);

/** What {@link sessionEvent} returns. */
export const SESSION_EVENT: Readonly<Record<keyof SessionEvent, Field>> = {
  id: text,
  time: timestamp,
  event_name: text,
  path: orNull(text),
  properties: object,
};

const sessionEvent = (hit: FoundHit) => ({
  id: shownEventId(hit.id),
  time: new Date(Math.round(hit.at)).toISOString(),
  event_name: nameOf(hit.kind, hit.text),
  path: hit.path,
  properties: propertiesOf(hit),
});

type SessionEvent = ReturnType<typeof sessionEvent>;

const shownEventId = (uuid: string): string => encodeEventId(Buffer.from(withoutDashes(uuid), 'hex'));

function propertiesOf({ kind, text, properties }: FoundHit): Readonly<Record<string, unknown>> {
  if (kind === HIT.custom) return properties ?? {};
  if (text === null) return {};
  if (kind === HIT.outgoing) return { href: text };
  if (kind === HIT.error) return { message: text };
  return kind === HIT.vital ? { metric: text } : {};
}
