import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { SlugReserved } from '@ledgerline/contracts/events/link.events';
import { decider, type Command } from '../decider';
import { isReservedSlug, isSlug } from './reserved-slugs';

export type ReserveSlug = Command<'ReserveSlug', SlugReserved['data']>;

/** A slug has one owner for ever, whatever becomes of the link. */
export const slug = decider<{ readonly status: 'free' } | { readonly status: 'taken' }, ReserveSlug, SlugReserved>({
  initial: { status: 'free' },

  decide: {
    ReserveSlug({ status }, data) {
      if (status === 'taken') throw new Rejection('SLUG_TAKEN');
      if (!isSlug(data.slug) || isReservedSlug(data.slug)) throw new Rejection('SLUG_INVALID');
      return [{ type: 'SlugReserved', data }];
    },
  },

  evolve: {
    SlugReserved: () => ({ status: 'taken' }),
  },
});
