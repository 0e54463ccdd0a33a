import { RECORD_TABLES } from '@ledgerline/contracts/read-models/registry';
import { type Queryable, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { RegistryTables } from '@ledgerline/platform/registry/stored-registry';
import { AUDIT_TYPE, type NewDelivery } from './messages';

const { destinations, organizations } = RECORD_TABLES;

/** Keeps a row for each destination: new ones begin where their event says; of those that are gone nothing is kept. */
export async function followDestinations(on: Queryable, { table }: RegistryTables): Promise<void> {
  await run(
    on,
    sql`with wanted as (
        select d.id, d.organization_id, (d.details->>'begin')::bigint as begin, d.details->>'kind' = ${AUDIT_TYPE} as is_stream
        from ${table(destinations)} d
        join ${table(organizations)} o on o.id = d.organization_id and o.deleted_at is null
        -- nothing is kept for an addressee who has not said yes, or says no by now
        where coalesce(d.details->>'consent', 'given') = 'given'
      ), gone as (
        delete from destination_sending s where not exists (select from wanted w where w.id = s.destination_id)
      ), lost as (
        delete from deliveries m where not exists (select from wanted w where w.id = m.destination_id)
      )
      insert into destination_sending as old (destination_id, organization_id, next_revision, head_revision, is_stream)
      select id, organization_id, begin, begin - 1, is_stream from wanted
      on conflict (destination_id) do update set is_stream = excluded.is_stream where old.is_stream <> excluded.is_stream`,
  );
}

/** Adds messages behind all others of a destination; nothing where it is gone. Its row stays locked: the next ones wait. */
export async function insertDeliveries(
  on: Queryable,
  destination: string,
  made: readonly NewDelivery[],
): Promise<void> {
  if (made.length === 0) return;
  const places = made.map((each) => each.places);
  await run(
    on,
    sql`with numbered as (
        update destination_sending set next_number = next_number + ${made.length},
            next_at = case when next_at = 'infinity' then now() else next_at end
          where destination_id = ${destination}
        returning next_number - ${made.length} as first
      )
      insert into deliveries
        (destination_id, number, id, type, subject, body, html, first_revision, last_revision, previous_hash, head_revision)
      select ${destination}, numbered.first + m.place - 1, m.id, m.type, m.subject, m.body, m.html,
        m.first_revision, m.last_revision, m.previous_hash, m.head_revision
      from numbered, unnest(${made.map(({ id }) => id)}::uuid[], ${made.map(({ type }) => type)}::text[],
          ${made.map(({ subject }) => subject)}::text[], ${made.map(({ body }) => body)}::text[],
          ${made.map(({ html = null }) => html)}::text[],
          ${places.map((each) => each?.firstRevision ?? null)}::bigint[],
          ${places.map((each) => each?.lastRevision ?? null)}::bigint[],
          ${places.map((each) => each?.previousHash ?? null)}::text[],
          ${places.map((each) => each?.headRevision ?? null)}::bigint[])
        with ordinality
        as m (id, type, subject, body, html, first_revision, last_revision, previous_hash, head_revision, place)
      on conflict (destination_id, id) do nothing`,
  );
}

const KEPT_DAYS = 30;
/** For so long an addressee who wanted no more mails is not asked again. */
const REMEMBERED_DAYS = 90;
const KEPT = sql`now() - make_interval(days => ${KEPT_DAYS})`;

/** Forgets messages a month after they were sent or set aside; those that waited for a month expire, but for an audit stream. */
export async function dropOldDeliveries(on: Queryable): Promise<void> {
  await run(on, sql`delete from deliveries where state <> 'waiting' and changed_at < ${KEPT}`);
  await run(on, sql`delete from delivery_notices where created_at < ${KEPT}`);
  await run(on, sql`delete from report_mails where created_at < ${KEPT} and recorded_at is not null`);
  await run(on, sql`delete from destination_consents where at < now() - make_interval(days => ${REMEMBERED_DAYS})`);
  await run(
    on,
    sql`update deliveries set state = 'expired', body = null, html = null, changed_at = now()
      where state = 'waiting' and type <> ${AUDIT_TYPE} and created_at < ${KEPT}`,
  );
}

const BATCHED = sql`type in ('link.clicked', 'goal.reached') and body is not null`;

/**
 * Takes single clicks and events out of messages that may hold those of an erased visitor, or expired ones: what waits is
 * sent without them, under another id, and what was sent has no body any more. Texts for chats have none.
 */
export async function eraseDeliveries(main: Queryable, stores: readonly Queryable[]): Promise<void> {
  await eraseReports(main, stores);
  const rows = await run<{ subject: string }>(main, sql`select distinct subject from deliveries where ${BATCHED}`);
  if (rows.length === 0) return;
  const subjects = rows.map(({ subject }) => subject);
  for (const store of stores) {
    const rules = await run<{ subject: string; until: Date }>(
      store,
      sql`select subject, max(until) as until from erasure_rules where subject = any(${subjects}::text[]) group by subject`,
    );
    await run(
      main,
      sql`update deliveries d set
          state = case d.state when 'waiting' then 'waiting' else 'erased' end,
          id = case d.state when 'waiting' then gen_random_uuid() else d.id end,
          body = case d.state when 'waiting' then jsonb_set(d.body::jsonb, '{data,items}', '[]')::text end,
          changed_at = now()
        from unnest(${rules.map(({ subject }) => subject)}::text[], ${rules.map(({ until }) => until.toISOString())}::timestamptz[])
          as rule (subject, until)
        where d.subject = rule.subject and ${BATCHED} and d.created_at <= rule.until + interval '1 minute'
          and coalesce(d.body::jsonb -> 'data' -> 'items', '[]') <> '[]'`,
    );
  }
}

/** Leaves of the mails of reports that may hold what an erased visitor alone has done, such as a path, their first line. */
async function eraseReports(main: Queryable, stores: readonly Queryable[]): Promise<void> {
  const rows = await run<{ organization: string }>(
    main,
    sql`select distinct organization_id as organization from report_mails where html is not null`,
  );
  if (rows.length === 0) return;
  const organizations = rows.map(({ organization }) => organization);
  for (const store of stores) {
    const rules = await run<{ organization: string; until: Date }>(
      store,
      sql`select organization_id as organization, max(until) as until from erasure_rules
        where organization_id = any(${organizations}::text[]) group by organization_id`,
    );
    const all = sql`unnest(${rules.map(({ organization }) => organization)}::text[],
      ${rules.map(({ until }) => until.toISOString())}::timestamptz[]) as rule (organization, until)`;
    await run(
      main,
      sql`with erased as (
          update report_mails m set body = null, html = null from ${all}
          where m.organization_id = rule.organization and m.html is not null and m.created_at <= rule.until + interval '1 minute'
        )
        update deliveries d set
          state = case d.state when 'waiting' then 'waiting' else 'erased' end,
          id = case d.state when 'waiting' then gen_random_uuid() else d.id end,
          body = case d.state when 'waiting' then split_part(d.body, E'\\n', 1) end,
          html = null, changed_at = now()
        from destination_sending s, ${all}
        where s.destination_id = d.destination_id and s.organization_id = rule.organization and d.html is not null
          and d.created_at <= rule.until + interval '1 minute'`,
    );
  }
}
