import fc from 'fast-check';
import { encodeSessions } from '@ledgerline/aggregation/session-day';
import { chunkOf, EVERY_COLUMN } from '@ledgerline/aggregation/session-slice';
import {
  SESSION_FLAG,
  type SessionChunk,
  type SessionField,
  UNIT_FIELDS,
} from '@ledgerline/contracts/read-models/session-days';
import { HIT, SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import { visitsIn } from '@ledgerline/contracts/sessions/local-session';
import { run } from '@ledgerline/platform/database/pool';
import { emptySql, identifier, sql } from '@ledgerline/platform/database/sql';
import { readSessionSlices } from '@ledgerline/platform/session-days/read-session-slices';
import { traffic } from '@test/oracle/random-traffic';
import { openProjectedDatabase, type ProjectedDatabase } from '@test/query/projected-database';
import { decodeRow, rowsOf, sorted } from '@test/session-days/plain-sessions';

const DAY_MS = 86_400_000;
const SCHEMA = 'websites_v1';

let database: ProjectedDatabase;
beforeAll(async () => {
  database = await openProjectedDatabase();
});
afterAll(() => database.close());

it('reads sessions from the tables, and the same from the bytes of their days', async () => {
  let sites = 0;
  await fc.assert(
    fc.asyncProperty(traffic, async (some) => {
      const id = `site_${++sites}`;
      await database.send(id, some.events({ websiteId: id, organizationId: 'org_1', zone: some.zone }), 25);
      const [site] = await run<{ website: number }>(
        database.pool,
        sql`select max(website) as website from ${identifier(SCHEMA, 'sessions')}`,
      );
      const website = site?.website ?? 0;
      const expected = await storedSessions(website);
      const slices = await readSessionSlices(
        database.pool,
        { table: ({ name }) => identifier(SCHEMA, name), website, where: emptySql },
        EVERY_COLUMN,
      );
      const chunks = slices.map((slice) => chunkOf(slice, EVERY_COLUMN));
      expect(sorted(chunks.flatMap(rowsOf))).toEqual(sorted(expected));
      for (const chunk of chunks) expect(rowsOf(packedAndRead(chunk))).toEqual(rowsOf(chunk));
    }),
    { seed: 28, numRuns: 15 },
  );
});

function packedAndRead(chunk: SessionChunk): SessionChunk {
  const day = Math.floor((chunk.field('first_at')[0] ?? 0) / DAY_MS);
  const bytes = new Map(encodeSessions(chunk, day));
  return decodeRow({ size: chunk.size, day }, (name) => bytes.get(name));
}

interface StoredHit {
  readonly at: number;
  readonly kind: number;
  readonly path: number;
  readonly hostname: number;
  readonly id: string;
}

type StoredSession = Readonly<Record<SessionField | 'bounced' | 'kind', number>> & {
  readonly visitor_number: number | null;
  readonly hits: readonly StoredHit[];
  readonly hit_values: readonly number[];
  readonly vitals: readonly Readonly<Record<string, number>>[];
  readonly spans: readonly Readonly<Record<string, number | null>>[];
  readonly clicks: readonly Readonly<Record<string, number>>[];
};

/**
 * Returns the sessions from plain rows, one by one; the first 24 digits of an id name the report of which the last one
 * counts.
 */
async function storedSessions(website: number) {
  const facts = (table: string) => sql`(
      select coalesce(json_agg(to_jsonb(f) || jsonb_build_object('at', (extract(epoch from f.at) * 1000)::bigint) order by f.at, f.id), '[]')
      from ${identifier(SCHEMA, table)} f
      where f.website = s.website and f.actor = s.actor and coalesce(f.session, f.actor) = s.session and not exists (
        select from ${identifier(SCHEMA, table)} later
        where later.website = f.website and later.actor = f.actor and coalesce(later.session, later.actor) = s.session
          and left(later.id::text, 28) = left(f.id::text, 28) and (later.id, later.at) > (f.id, f.at)
      )
    )`;
  const found = await run<StoredSession>(
    database.pool,
    sql`
    select s.*, (extract(epoch from s.first_at) * 1000)::float8 as first_at, s.duration_ms::float8 as duration_ms, (
        select json_agg(json_build_object('at', (extract(epoch from h.at) * 1000)::bigint, 'kind', h.kind, 'path', h.path,
          'hostname', h.hostname, 'id', h.id) order by h.at, h.id)
        from unnest(s.hit_at, s.hit_kind, s.hit_path, s.hit_hostname, s.hit_id) as h(at, kind, path, hostname, id)
      ) as hits, ${facts('vitals')} as vitals, ${facts('engagement_spans')} as spans,
      ${facts('link_visits')} as clicks
    from ${identifier(SCHEMA, 'sessions')} s where s.website = ${website}`,
  );
  return found.map((session) => {
    const isSingle = session.kind === SESSION_KIND.none;
    const flags = (session.bounced ? SESSION_FLAG.bounced : 0) + (isSingle ? SESSION_FLAG.single : 0);
    let from = 0;
    const hits = session.hits.map((hit) => {
      const own = { ...hit, from, values: session.hit_values };
      from += WIDTHS[hit.kind - 1] ?? 0;
      return own;
    });
    expect(from).toBe(session.hit_values.length);
    const of = (kind: number) =>
      hits
        .filter((hit) => hit.kind === kind)
        .map(({ at, path, hostname, values, from: first, id }) => [
          ...[at, path, hostname, ...values.slice(first, first + (WIDTHS[kind - 1] ?? 0))],
          ...(kind === HIT.outgoing ? wordsOf(id) : []),
        ]);
    const visits = isSingle ? [] : visitsIn(hits);
    return Object.fromEntries([
      ...EVERY_COLUMN.fields.map((name) => [
        name,
        name === 'visitor' ? (session.visitor_number ?? -1) : name === 'flags' ? flags : session[name],
      ]),
      ['views', of(HIT.view)],
      [
        'visits',
        visits.map((visit) => [visit.at, visit.path, visit.hostname, visit.timeMs, visit.scroll, visit.interactions]),
      ],
      ['custom_events', of(HIT.custom)],
      ['outgoing_links', of(HIT.outgoing)],
      ['errors', of(HIT.error)],
      ['vitals', session.vitals.map((row) => UNIT_FIELDS.vitals.map((name) => row[name]))],
      ['spans', session.spans.map((row) => UNIT_FIELDS.spans.map((name) => row[name] ?? -1))],
      ['link_clicks', session.clicks.map((row) => UNIT_FIELDS.link_clicks.map((name) => row[name]))],
    ]) as Record<string, unknown>;
  });
}

/** The number of fields hits of each kind have. */
const WIDTHS = [1, 3, 2, 3, 2, 1, 3];

const wordsOf = (id: string): readonly number[] =>
  [0, 8, 16, 24].map((from) => Number.parseInt(id.replaceAll('-', '').slice(from, from + 8), 16) - 2 ** 31);
