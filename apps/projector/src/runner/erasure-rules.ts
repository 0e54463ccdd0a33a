import type { Group } from '@ledgerline/contracts/read-models/registry';
import { type ErasedKind, type ErasureRule, ErasureRules, NO_RULES } from '@ledgerline/domain/erasures/erasure-rules';
import { noteErased } from '@ledgerline/platform/database/file-rewrites';
import { type Queryable, run } from '@ledgerline/platform/database/pool';
import { type Sql, identifier, sql } from '@ledgerline/platform/database/sql';

/** The kinds of data of a visitor that the tables of a group have. */
const KINDS: Readonly<Partial<Record<Group, readonly ErasedKind[]>>> = {
  websites: ['profile', 'visitor', 'session', 'expired'],
  links: ['click'],
};

export const erasedKinds = (group: Group): readonly ErasedKind[] => KINDS[group] ?? [];

/** Returns whether the tables of a group have hits of visitors. */
export const hasVisits = ({ name }: { readonly name: Group }): boolean => erasedKinds(name).length > 0;

const COLUMNS = sql`erasure_id as "erasureId", organization_id as "organizationId", website_id as "websiteId", kind, subject, id,
  (extract(epoch from until) * 1000)::float8 as until`;

interface Loaded {
  /** No row is ever deleted or changed. */
  readonly count: number;
  readonly rules: ErasureRules;
}

/** By the pool of a read store, and group: partitions share them. */
const loaded = new WeakMap<Queryable, Map<Group, Loaded>>();

/** The rules that are in force in a read store. Those of one that was read before them (see `parked_revision`) are not older. */
export async function loadRules(pool: Queryable, group: Group): Promise<ErasureRules> {
  const kinds = erasedKinds(group);
  if (kinds.length === 0) return NO_RULES;
  const of = loaded.get(pool) ?? new Map<Group, Loaded>();
  loaded.set(pool, of);
  const known = of.get(group);
  const [stored] = await run<{ count: number }>(
    pool,
    sql`select count(*)::integer as count from erasure_rules where kind = any(${kinds})`,
  );
  if (known && known.count === stored?.count) return known.rules;
  const rows = await run<ErasureRule>(pool, sql`select ${COLUMNS} from erasure_rules where kind = any(${kinds})`);
  const rules = rows.length === 0 ? NO_RULES : new ErasureRules(rows);
  of.set(group, { count: rows.length, rules });
  return rules;
}

/** Reads the erasures whose earlier events may be in the tables of a group. */
export const readDue = (on: Queryable, group: Group, epoch: string): Promise<ErasureRule[]> =>
  run<ErasureRule>(
    on,
    sql`select ${COLUMNS} from erasure_rules
        where kind = any(${erasedKinds(group)}) and repaired_epoch is distinct from ${epoch}`,
  );

export async function isAnyDue(on: Queryable, group: Group): Promise<boolean> {
  const kinds = erasedKinds(group);
  if (kinds.length === 0) return false;
  const due = sql`select from erasure_rules where kind = any(${kinds}) and repaired_epoch is null limit 1`;
  return (await run(on, due)).length > 0;
}

/** Answers those that were not in force. */
export const insertRules = (on: Queryable, rules: readonly ErasureRule[]): Promise<ErasureRule[]> =>
  run<ErasureRule>(on, sql`${insertInto('erasure_rules', rules)} returning ${COLUMNS}`);

export const noteRepaired = (on: Queryable, rules: readonly ErasureRule[], epoch: string): Promise<unknown> =>
  run(
    on,
    sql`with noted as (${noteErased}) update erasure_rules r set repaired_epoch = ${epoch}
        from ${unnested(rules)} where ${SAME}`,
  );

/** Notes what a batch has found, unless it is in force already. */
export const insertFindings = (rules: readonly ErasureRule[]): Sql => insertInto('erasure_findings', rules);

export const readFindings = (on: Queryable): Promise<ErasureRule[]> =>
  run<ErasureRule>(on, sql`select ${COLUMNS} from erasure_findings where kind <> 'hit'`);

/** Where erased hits were found late, which the payloads of the log have still. */
export const readLateHits = (on: Queryable): Promise<ErasureRule[]> =>
  run<ErasureRule>(on, sql`select ${COLUMNS} from erasure_findings where kind = 'hit'`);

/**
 * Counts how many rules of these erasures are carried out in a store, by erasure; none while there is more to be
 * decided.
 */
export async function countCarriedOut(
  on: Queryable,
  erasureIds: readonly string[],
  epoch: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await run<{ id: string; rules: number }>(
    on,
    sql`select erasure_id as id, count(*)::integer as rules from erasure_rules r
        where erasure_id = any(${erasureIds}) and repaired_epoch = ${epoch}
          and not exists (select from erasure_findings f where f.erasure_id = r.erasure_id and f.kind <> 'hit')
        group by erasure_id`,
  );
  return new Map(rows.map(({ id, rules }) => [id, rules]));
}

export const deleteFindings = (on: Queryable, rules: readonly ErasureRule[]): Promise<unknown> =>
  run(on, sql`delete from erasure_findings r using ${unnested(rules)} where ${SAME}`);

const SAME = sql`(r.erasure_id, r.kind, r.subject, r.id) = (rule.erasure_id, rule.kind, rule.subject, rule.id)`;

const insertInto = (table: string, rules: readonly ErasureRule[]): Sql =>
  sql`insert into ${identifier(table)} (erasure_id, organization_id, website_id, kind, subject, id, until)
      select erasure_id, organization_id, website_id, kind, subject, id, until from ${unnested(rules)}
      where not exists (select from erasure_rules r where ${SAME})
      on conflict do nothing`;

const unnested = (rules: readonly ErasureRule[]): Sql =>
  sql`unnest(${rules.map(({ erasureId }) => erasureId)}::text[], ${rules.map(({ organizationId }) => organizationId)}::text[],
        ${rules.map(({ websiteId }) => websiteId)}::text[], ${rules.map(({ kind }) => kind)}::text[],
        ${rules.map(({ subject }) => subject)}::text[], ${rules.map(({ id }) => id)}::text[],
        ${rules.map(({ until }) => new Date(until).toISOString())}::timestamptz[])
      as rule (erasure_id, organization_id, website_id, kind, subject, id, until)`;
