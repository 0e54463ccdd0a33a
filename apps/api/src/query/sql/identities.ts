import { NAMING_TRAITS } from '@ledgerline/contracts/profiles';
import { profileTraits, visitorProfiles } from '@ledgerline/contracts/read-models/profiles';
import type { Row } from '@ledgerline/domain/query/rows';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { unsealName, unsealProfileId } from '@ledgerline/platform/profiles/sealed-profile';
import { orNull, text } from '../fields';
import type { QueryContext } from '../query-type';
import { columnOf, textIn, type SqlRow } from '../sql-row';

/** Who the visitor of a row was said to be. */
export const IDENTITY_FIELDS = { profile_id: orNull(text), display_name: orNull(text) };

export const IDENTITY_COLUMNS = sql`identity.subject, identity.profile_id, identity.traits`;

/** Joins who a visitor was said to be, still sealed, as {@link IDENTITY_COLUMNS}. */
export const identityOfVisitor = (context: QueryContext, visitor: Sql): Sql => sql`left join lateral (
  select said.subject, said.profile_id, (
    select json_object_agg(t.trait, t.value) from ${context.table(profileTraits)} t
    where t.website = ${context.website} and t.subject = said.subject and t.trait = any(${NAMING_TRAITS}::text[])
      and t.value is not null
  ) as traits
  from ${context.table(visitorProfiles)} said
  where said.website = ${context.website} and said.visitor = ${visitor}
) identity on true`;

/** Adds the keys of the profiles, as `key`; null where a profile was forgotten. */
export async function withProfileKeys(found: readonly SqlRow[], main: Queryable): Promise<readonly SqlRow[]> {
  const subjects = found.map((row) => columnOf(row, 'subject')).filter((subject) => subject !== null);
  if (subjects.length === 0) return found.map((row) => ({ ...row, key: null }));
  const wanted = sql`select subject, key from profile_keys where subject = any(${subjects}::uuid[])`;
  const rows = await run<{ subject: string; key: Buffer }>(main, wanted);
  const keys = new Map(rows.map(({ subject, key }) => [subject, key]));
  return found.map((row) => ({ ...row, key: keys.get(textIn(row, 'subject')) ?? null }));
}

/** Who a row's visitor was said to be: {@link IDENTITY_FIELDS}. */
export function identityOf(found: SqlRow): Row {
  const key = columnOf(found, 'key');
  if (!Buffer.isBuffer(key)) return { profile_id: null, display_name: null };
  const sealing = { subject: textIn(found, 'subject'), key };
  const traits = (columnOf(found, 'traits') ?? {}) as Readonly<Record<string, string>>;
  return {
    profile_id: unsealProfileId(sealing, textIn(found, 'profile_id')),
    display_name: unsealName(sealing, traits),
  };
}
