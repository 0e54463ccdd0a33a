import { withDetails, type Link, type StoredRecords } from '@ledgerline/contracts/records';
import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import { isReservedSlug, isSlug } from '../links/reserved-slugs';
import { changeOf } from './record-changes';

type StoredLink = StoredRecords['links'];

/** The link after the events of its stream; undefined before it is created and after it is deleted. */
export function linkOf(history: readonly Recorded[]): Link | undefined {
  const link = history.reduce<StoredLink | undefined>(evolve, undefined);
  return link && withDetails(link);
}

function evolve(link: StoredLink | undefined, event: Recorded): StoredLink | undefined {
  const change = changeOf('links', event);
  if (!change) return link;
  if ('set' in change) return link && { ...link, ...change.set };
  return 'write' in change ? change.write : undefined;
}

/** What a lookup of links has to know about them. */
export const linkRules = {
  linkOf,
  /** False for a slug that no link can have. */
  mayBeSlug: (slug: string): boolean => isSlug(slug) && !isReservedSlug(slug),
};
