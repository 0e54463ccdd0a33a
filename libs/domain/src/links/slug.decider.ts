import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { SlugReserved } from '@ledgerline/contracts/events/link.events';
import { decider, type Command } from '../decider';
import { isReservedSlug, isSlug } from './reserved-slugs';

export type ReserveSlug = Command<'ReserveSlug', SlugReserved['data']>;

type Slug = { readonly status: 'free' } | { readonly status: 'taken'; readonly linkId: string };

/** A slug belongs to one link for ever, whatever becomes of the link, which may go back to it. */
export const slug = decider<Slug, ReserveSlug, SlugReserved>({
  initial: { status: 'free' },

  decide: {
    ReserveSlug(state, data) {
      if (state.status === 'taken' && state.linkId !== data.linkId) throw new Rejection('SLUG_TAKEN', 'slug');
      if (state.status === 'taken') return [];
      if (!isSlug(data.slug) || isReservedSlug(data.slug)) throw new Rejection('SLUG_INVALID', 'slug');
      return [{ type: 'SlugReserved', data }];
    },
  },

  evolve: {
    SlugReserved: (_, { linkId }) => ({ status: 'taken', linkId }),
  },
});
