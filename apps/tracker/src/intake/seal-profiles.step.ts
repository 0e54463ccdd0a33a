import { sealProfile } from '@ledgerline/platform/profiles/sealed-profile';
import { isIdentification, subjectOf, type IntakeContext, type IntakeDeps, type Item } from './intake-context';

/**
 * Seals who visitors are said to be, by identifications and by hits that name a profile, each profile with a key of its
 * own; after this step nobody reads it without that key.
 */
export function sealProfiles(
  { items, bot }: IntakeContext,
  { profileKeys }: Pick<IntakeDeps, 'profileKeys'>,
): Promise<void> | undefined {
  const identifications = items.filter(isIdentification);
  const pending = [...identifications, ...(bot === null ? lastNaming(items) : [])].map((item) =>
    seal(item, profileKeys),
  );
  return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined);
}

/** Of the hits that name a profile, the last one for each visitor and profile: the others say nothing more. */
function lastNaming(items: readonly Item[]): Iterable<Item> {
  const last = new Map<string, Item>();
  for (const item of items) {
    const { visitorId, profileHash, website } = item;
    if (profileHash === null || visitorId === null || website === null || isIdentification(item)) continue;
    const pair = `${website.id} ${visitorId} ${profileHash}`;
    if (item.at >= (last.get(pair)?.at ?? item.at)) last.set(pair, item);
  }
  return last.values();
}

async function seal(item: Item, keys: IntakeDeps['profileKeys']): Promise<void> {
  const { facts, profileId } = item.payload;
  if (profileId === null) return;
  const traits = facts.type === 'VisitorIdentified' ? facts.data.traits : {};
  item.profile = sealProfile(await keys.obtain(subjectOf(item), profileId), profileId, traits);
}
