import type { Link } from '@ledgerline/contracts/records';
import type { Recorded } from '@ledgerline/contracts/events/decided-events';
import { omit } from '../changes';
import { isReservedSlug, isSlug } from '../links/reserved-slugs';
import { created, updated } from './registry-records';

/** The link after the events of its stream; undefined before it is created and after it is deleted. */
export const linkOf = (history: readonly Recorded[]): Link | undefined => history.reduce(evolve, undefined);

function evolve(link: Link | undefined, event: Recorded): Link | undefined {
  if (event.type === 'LinkCreated') return { ...created(event), id: event.data.linkId, ...omit(event.data, 'linkId') };
  if (event.type === 'LinkUpdated')
    return link && { ...link, ...updated(event), ...omit(event.data, 'linkId', 'before') };
  return event.type === 'LinkDeleted' ? undefined : link;
}

/** What a lookup of links has to know about them. */
export const linkRules = {
  linkOf,
  /** False for a slug that no link can have. */
  mayBeSlug: (slug: string): boolean => isSlug(slug) && !isReservedSlug(slug),
};
