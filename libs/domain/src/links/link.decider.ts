import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { LinkCreated, LinkDetails, LinkEvent } from '@ledgerline/contracts/events/link.events';
import { decider, type Command } from '../decider';
import { isReservedSlug, isSlug } from './reserved-slugs';
import { isWebAddress } from './web-address';

export type LinkCommand = CreateLink;
export type CreateLink = Command<'CreateLink', LinkCreated['data']>;

type Link = { readonly status: 'absent' } | { readonly status: 'active' };

export const link = decider<Link, LinkCommand, LinkEvent>({
  initial: { status: 'absent' },

  decide: {
    CreateLink({ status }, data) {
      if (status !== 'absent') throw new Rejection('LINK_EXISTS');
      if (!isSlug(data.slug) || isReservedSlug(data.slug)) throw new Rejection('SLUG_INVALID');
      if (!addressesOf(data).every(isWebAddress)) throw new Rejection('ADDRESS_INVALID');
      return [{ type: 'LinkCreated', data }];
    },
  },

  evolve: {
    LinkCreated: () => ({ status: 'active' }),
  },
});

const addressesOf = ({ targetUrl, expiredRedirectUrl, iosUrl, androidUrl, ogImageUrl }: LinkDetails): string[] =>
  [targetUrl, expiredRedirectUrl, iosUrl, androidUrl, ogImageUrl].filter((address) => address !== null);
