import { NAMING_TRAITS } from '@ledgerline/contracts/profiles';
import { profileTraits, visitorProfiles } from '@ledgerline/contracts/read-models/profiles';
import { unsealProfileId, unsealTrait } from '@ledgerline/platform/profiles/sealed-profile';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { columnOf, textIn, type SqlRow } from '../../fields';
import type { QueryContext } from '../../query-type';

/** Columns of {@link joinedIdentity}, as {@link identityOf} reads them. */
export const IDENTITY = sql`identity.subject, identity.key, identity.profile_id, identity.traits`;

/** Joins who a visitor said to be, still sealed, with its key; nothing where the profile was forgotten. */
export const joinedIdentity = (context: QueryContext, visitor: Sql): Sql => sql`
left join lateral (
  select said.subject, k.key, said.profile_id, (
    select json_object_agg(t.trait, t.value) from ${context.table(profileTraits)} t
    where t.website = said.website and t.subject = said.subject and t.trait = any(${NAMING_TRAITS}::text[])
      and t.value is not null
  ) as traits
  from ${context.table(visitorProfiles)} said
  join profile_keys k on k.subject = said.subject
  where said.website = ${context.website} and said.visitor = ${visitor}
) identity on true`;

interface Identity {
  readonly profile_id: string | null;
  readonly display_name: string | null;
}

/** Who a row's visitor said to be. */
export function identityOf(found: SqlRow): Identity {
  const key = columnOf(found, 'key');
  if (!Buffer.isBuffer(key)) return { profile_id: null, display_name: null };
  const sealing = { subject: textIn(found, 'subject'), key };
  const traits = (columnOf(found, 'traits') ?? {}) as Readonly<Record<string, string>>;
  const names = NAMING_TRAITS.flatMap((name) => {
    const sealed = traits[name];
    const value = sealed === undefined ? '' : unsealTrait(sealing, name, sealed);
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
  return { profile_id: unsealProfileId(sealing, textIn(found, 'profile_id')), display_name: names[0] ?? null };
}
