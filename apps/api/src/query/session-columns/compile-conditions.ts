import {
  FACT_KEYS,
  type CompiledAlternative,
  type CompiledCondition,
  type PropertyFacts,
  REPEAT_KEYS,
  type Tie,
  tieKey,
  type TieOrder,
  type WantedCondition,
} from '@ledgerline/aggregation/aggregation';
import { eventFilterNamed } from '@ledgerline/contracts/attributes';
import type { Criterion } from '@ledgerline/contracts/criterion';
import { type ConditionDefinition, type FieldFilter, isProperty, PROPERTY } from '@ledgerline/contracts/definitions';
import { REPORT_BYTES } from '@ledgerline/contracts/events/event-id';
import { kindOfHit, kindsWith } from '@ledgerline/contracts/read-models/event-kinds';
import { HIT, sessions } from '@ledgerline/contracts/read-models/sessions';
import { linkDomains, linkVisits, customEvents } from '@ledgerline/contracts/read-models/website-facts';
import { alternativesIn, criterion, numbersNamed, passes } from '@ledgerline/domain/query/filters';
import { run as runSql, type Queryable } from '@ledgerline/platform/database/pool';
import { instant, emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { QueryContext } from '../declaration/query-context';
import type { Services } from '../declaration/query-type';
import { matchingTextIds } from '../sql/dictionary';

type On = Pick<Services, 'targets'> & { readonly client: Queryable };

/** The website, and the span of the sessions that conditions are about. */
type CompileContext = Pick<QueryContext, 'table' | 'website' | 'targetId' | 'from' | 'to'>;

/** Compiles the conditions of a request for the columns of sessions, each once. */
export class ConditionCompiler {
  private readonly known = new Map<string, Promise<CompiledCondition>>();
  /** By span, as all conditions on clicks need the same. */
  private readonly repeats = new Map<string, Promise<readonly Float64Array[]>>();

  constructor(private readonly on: On) {}

  compile(wanted: WantedCondition, context: CompileContext): Promise<CompiledCondition> {
    const span = `${context.from} ${context.to}`;
    const repeats = () => once(this.repeats, span, () => readRepeats(this.on.client, context));
    const key = `${span} ${JSON.stringify(wanted)}`;
    return once(this.known, key, () => compileCondition(this.on, wanted, context, repeats));
  }
}

/** A failure is thrown to the type that asked; the next one tries again. */
function once<Found>(known: Map<string, Promise<Found>>, key: string, find: () => Promise<Found>): Promise<Found> {
  const found = known.get(key) ?? find();
  known.set(key, found);
  found.catch(() => known.delete(key));
  return found;
}

async function compileCondition(
  on: On,
  { condition, properties = [] }: WantedCondition,
  context: CompileContext,
  repeatsIn: () => Promise<readonly Float64Array[]>,
): Promise<CompiledCondition> {
  const { kind, filters = [] } = condition;
  const alternatives = await Promise.all(
    filters.map((filter) => Promise.all(alternativesIn(filter).map((each) => compileAlternative(on, each, context)))),
  );
  const wanted = new Set([...properties, ...propertiesIn(condition)]);
  const names = namesIn(alternatives);
  const found = { kind, filters: alternatives };
  if (kind === 'link_click') return { ...found, repeats: await repeatsIn() };
  return wanted.size === 0 ? found : { ...found, facts: await readFacts(on.client, [...wanted], names, context) };
}

const propertiesIn = ({ filters = [] }: ConditionDefinition): readonly string[] =>
  filters
    .flatMap(alternativesIn)
    .filter(({ field }) => isProperty(field))
    .map(({ field }) => field.slice(PROPERTY.length));

/** The only names that events may have; undefined = any. */
function namesIn(filters: CompiledCondition['filters']): readonly (number | string)[] | undefined {
  for (const [first, ...others] of filters)
    if (first && others.length === 0 && 'values' in first && first.field === 'name' && !first.negated)
      return first.values;
  return undefined;
}

async function compileAlternative(
  { client, targets }: On,
  filter: FieldFilter,
  context: CompileContext,
): Promise<CompiledAlternative> {
  const { field } = filter;
  const wanted = criterion(filter);
  if (isProperty(field)) return { of: { property: field.slice(PROPERTY.length) }, criterion: wanted };
  if (field === 'metric_value') return { of: 'micros', criterion: wanted };
  const { negated } = wanted;
  const positive = { ...wanted, negated: false };
  const ofEvent = eventFilterNamed(field);
  if (ofEvent) return { field: ofEvent.field, values: numbersNamed(positive), negated };
  if (field === 'external_id')
    return { field: 'link', values: await linksOf({ client, targets }, wanted, context), negated: false };
  const values = await matchingTextIds(client, context.website, positive);
  if (field === 'link_id') return { field: 'link', values, negated };
  return field === 'domain'
    ? { field: 'href', values: await linksTo(client, values, context), negated }
    : { field, values, negated };
}

/** The links that led to the website, as text ids, whose external id passes; of one without it that is empty. */
async function linksOf(
  { client, targets }: On,
  wanted: Criterion,
  { table, website, targetId, from, to }: CompileContext,
) {
  const rows = await runSql<{ id: number; text: string }>(
    client,
    sql`select id, text from dictionary where id = any(array(
      select distinct link from ${table(linkVisits)}
      where website = ${website} and at >= ${instant(from)} and at < ${instant(to)}
    ))`,
  );
  const texts = rows.map(({ text }) => text);
  const names = await targets.linkNames(targetId, texts);
  return rows.flatMap(({ id, text }) => (passes(wanted, [names.get(text)?.externalId ?? '']) ? [id] : []));
}

/** The clicks of the span that their visitors made before: each counts at the first page view that carries it. */
async function readRepeats(
  on: Queryable,
  { table, website, from, to }: CompileContext,
): Promise<readonly Float64Array[]> {
  const rows = await runSql<Readonly<Record<(typeof REPEAT_KEYS)[number], number>>>(
    on,
    sql`
select coalesce(s.visitor_number, -1)::float8 as visitor, ${ms(sql`s.first_at`)} as first_at,
  s.duration_ms::float8 as duration_ms, ${ms(sql`v.at`)} as at, v.link::float8 as link
from ${table(linkVisits)} v
join ${table(sessions)} s on s.website = v.website and s.actor = v.actor and s.session = coalesce(v.session, v.actor)
where v.website = ${website} and v.at >= ${instant(from)} and v.at < ${instant(to)} and exists (
  select from ${table(linkVisits)} e
  where e.click = v.click and e.website = v.website and e.actor = v.actor and (e.at, e.id) < (v.at, v.id)
)`,
  );
  return REPEAT_KEYS.map((key) => Float64Array.from(rows, (row) => row[key]));
}

/** The links to these domains. */
async function linksTo(
  on: Queryable,
  domains: readonly number[],
  { table, website }: CompileContext,
): Promise<number[]> {
  const rows = await runSql<{ value: number }>(
    on,
    sql`select value from ${table(linkDomains)} where website = ${website} and domain = any(${domains}::int[])`,
  );
  return rows.map(({ value }) => value);
}

const ms = (at: Sql): Sql => sql`round(extract(epoch from ${at}) * 1000)::float8`;

/** The custom events with any of these properties, in the order of time and id. */
async function readFacts(
  on: Queryable,
  properties: readonly string[],
  names: readonly (number | string)[] | undefined,
  { table, website, from, to }: CompileContext,
): Promise<PropertyFacts> {
  const columns = properties.map((name, nth) => sql`(e.properties -> ${name})::text as ${identifier(`p${nth}`)}`);
  const named = names ? sql` and e.name = any(${names}::int[])` : emptySql;
  const rows = await runSql<Readonly<Record<string, number | string | null>>>(
    on,
    sql`
select coalesce(s.visitor_number, -1)::float8 as visitor, ${ms(sql`s.first_at`)} as first_at,
  s.duration_ms::float8 as duration_ms, ${ms(sql`e.at`)} as at, e.name::float8 as name, e.path::float8 as path,
  ${joinSql(columns)}
from ${table(customEvents)} e
join ${table(sessions)} s on s.website = e.website and s.actor = e.actor and s.session = coalesce(e.session, e.actor)
where e.website = ${website} and e.at >= ${instant(from)} and e.at < ${instant(to)}
  and e.properties ?| ${properties}::text[]${named}
order by e.at, e.id`,
  );
  const places = new Map<string, number>();
  const values: string[] = [];
  const placeOf = (value: string): number => {
    const known = places.get(value);
    if (known !== undefined) return known;
    places.set(value, values.length);
    return values.push(value) - 1;
  };
  const placesOf = (nth: number) =>
    Int32Array.from(rows, ({ [`p${nth}`]: value = null }) => (value === null ? -1 : placeOf(String(value))));
  return {
    keys: FACT_KEYS.map((key) => Float64Array.from(rows, (row) => Number(row[key]))),
    places: Object.fromEntries(properties.map((name, nth) => [name, placesOf(nth)])),
    values,
  };
}

type TiedHit = Readonly<Record<'visitor' | 'first_at' | 'duration_ms' | 'at' | 'kind', number>> & {
  readonly is_of_click: boolean;
};

/** The order of the events of visitors at some times, by their ids. Reports that later ones replace are left out. */
export async function findTieOrder(
  on: Queryable,
  { table, website }: Pick<QueryContext, 'table' | 'website'>,
  ties: readonly Tie[],
): Promise<TieOrder> {
  const visitors = ties.map(({ visitor }) => visitor);
  const times = ties.map(({ at }) => at);
  const least = times.reduce((a, b) => Math.min(a, b));
  const most = times.reduce((a, b) => Math.max(a, b));
  const reportOf = (row: string) => sql`substr(uuid_send(${identifier(row, 'id')}), 1, ${REPORT_BYTES}::int)`;
  const rows = await runSql<TiedHit>(
    on,
    sql`
with tied as (
  select distinct visitor, to_timestamp(at / 1000.0) as at from unnest(${visitors}::int[], ${times}::float8[]) as t(visitor, at)
)
select coalesce(s.visitor_number, -1)::float8 as visitor, ${ms(sql`s.first_at`)} as first_at,
  s.duration_ms::float8 as duration_ms, ${ms(sql`h.at`)} as at, h.kind::float8 as kind,
  h.kind = ${HIT.view} and exists (
    select from ${table(linkVisits)} v
    where v.website = s.website and v.at = h.at and v.id = h.id and v.actor = s.actor
  ) as is_of_click
from ${table(sessions)} s
cross join lateral unnest(s.hit_at, s.hit_id, s.hit_kind) as h(at, id, kind)
join tied on tied.visitor = coalesce(s.visitor_number, -1) and tied.at = h.at
where s.website = ${website} and s.first_at <= ${instant(most)} and s.last_at >= ${instant(least)}
  and coalesce(s.visitor_number, -1) = any(${[...new Set(visitors)]}::int[])
  and (h.kind <> all(${kindsWith(({ isRevised }) => isRevised === true)}::int[]) or not exists (
    select from unnest(s.hit_at, s.hit_id, s.hit_kind) as o(at, id, kind)
    where o.kind = h.kind and ${reportOf('o')} = ${reportOf('h')} and (o.id, o.at) > (h.id, h.at)
  ))
order by h.id`,
  );
  const order = new Map<string, number[]>();
  for (const [rank, { visitor, first_at, duration_ms, at, kind, is_of_click }] of rows.entries()) {
    const { unit, facts } = kindOfHit(kind) ?? {};
    const ofFacts = kind !== HIT.view || is_of_click ? facts?.unit : undefined;
    for (const each of [unit, ofFacts]) {
      if (each === undefined) continue;
      const key = tieKey(visitor, first_at, duration_ms, at, each);
      order.set(key, [...(order.get(key) ?? []), rank]);
    }
  }
  return order;
}
