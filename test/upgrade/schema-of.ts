import type { Client } from 'pg';

/** Everything that a database has of its own: a line each, sorted, with its definition as Postgres writes it. */
export async function schemaOf(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ line: string }>(SCHEMA);
  return rows.map(({ line }) => line);
}

/** Tables keep the order of their columns; a column that was dropped leaves a gap in their numbers, which says nothing. */
const SCHEMA = `
  with own as (select oid, nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'),
  relations as (
    select o.nspname || '.' || c.relname as name, c.* from pg_class c join own o on o.oid = c.relnamespace
  ),
  lines (line) as (
    select 'schema ' || nspname from own
    union all
    select concat_ws(' ', 'relation', name, relkind, relpersistence, reloptions::text, relrowsecurity) from relations
    union all
    select concat_ws(' ', 'order of', r.name, string_agg(a.attname, ',' order by a.attnum))
    from relations r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped group by r.name
    union all
    select concat_ws(' ', 'column', r.name, a.attname, format_type(a.atttypid, a.atttypmod),
      case when a.attnotnull then 'not null' end,
      (select 'by ' || n.conname from pg_constraint n where n.conrelid = r.oid and n.contype = 'n' and n.conkey = array[a.attnum]),
      'default ' || pg_get_expr(d.adbin, d.adrelid), nullif(a.attidentity, ''), nullif(a.attgenerated, ''),
      a.attstorage, nullif(a.attcompression, ''), 'statistics ' || nullif(a.attstattarget, -1))
    from relations r join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = r.oid and d.adnum = a.attnum
    union all
    select concat_ws(' ', 'constraint', r.name, n.conname, pg_get_constraintdef(n.oid))
    from relations r join pg_constraint n on n.conrelid = r.oid
    union all
    select pg_get_indexdef(oid) from relations where relkind = 'i'
    union all
    select concat_ws(' ', 'sequence', s.schemaname, s.sequencename, s.data_type, s.start_value, s.increment_by, s.max_value,
      (select refobjid::regclass || '.' || refobjsubid::text from pg_depend
        where objid = format('%I.%I', s.schemaname, s.sequencename)::regclass and deptype in ('a', 'i')))
    from pg_sequences s
    union all
    select pg_get_functiondef(p.oid) from pg_proc p join own o on o.oid = p.pronamespace
    union all
    select pg_get_triggerdef(t.oid) from pg_trigger t join relations r on r.oid = t.tgrelid where not t.tgisinternal
    union all
    select concat_ws(' ', 'type', o.nspname, t.typname) from pg_type t join own o on o.oid = t.typnamespace where t.typtype <> 'c'
    union all
    select 'view ' || schemaname || '.' || viewname || definition from pg_views where schemaname in (select nspname from own)
  )
  select line from lines order by line`;
