import { encodeEventId } from '@ledgerline/contracts/events/event-id';
import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { customEvents } from '@ledgerline/contracts/read-models/website-events';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { numberIn, object, orNull, text, textIn, timestamp, type Field, type SqlRow } from '../../fields';
import type { QueryContext } from '../../query-type';

/** Labels of events that have no name. */
const NAMES: Readonly<Record<number, string>> = {
  [HIT.view]: 'screen_view',
  [HIT.leave]: 'page_exit',
  [HIT.outgoing]: 'outgoing_link',
  [HIT.error]: 'error',
  [HIT.vital]: 'web_vital',
  [HIT.engagement]: 'engagement',
};

export interface FoundHit {
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

export const sessionEvent = (hit: FoundHit) => ({
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

/** An id as it is shown: 32 hex digits. */
export const withoutDashes = (uuid: string): string => uuid.replaceAll('-', '');
