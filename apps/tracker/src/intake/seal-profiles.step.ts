import { sealProfile } from '@ledgerline/platform/profiles/sealed-profile';
import { subjectOf, type IntakeContext, type IntakeDeps, type Item } from './intake-context';

/** Seals who visitors say they are, each profile with a key of its own; after this step nobody reads it without that key. */
export function sealProfiles(
  { items }: IntakeContext,
  { profileKeys }: Pick<IntakeDeps, 'profileKeys'>,
): Promise<void> | undefined {
  const pending = items.flatMap((item) => sealing(item, profileKeys) ?? []);
  return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined);
}

function sealing(item: Item, keys: IntakeDeps['profileKeys']): Promise<void> | undefined {
  const { facts } = item.payload;
  if (facts.type !== 'VisitorIdentified') return undefined;
  const { profileId, traits } = facts.data;
  return keys.obtain(subjectOf(item), profileId).then((key) => {
    item.profile = sealProfile(key, profileId, traits);
  });
}
