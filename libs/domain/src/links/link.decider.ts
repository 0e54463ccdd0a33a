import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { LinkCreated, LinkDetails, LinkEvent, LinkSettings } from '@ledgerline/contracts/events/link.events';
import { applyChanges, omit } from '../changes';
import { decider, type Command } from '../decider';
import { assertFuture } from '../time/assert-future';
import { isReservedSlug, isSlug } from './reserved-slugs';
import { isWebAddress, MAX_ADDRESS_LENGTH, MAX_TARGET_LENGTH } from './web-address';

export type LinkCommand = CreateLink | UpdateLink | DeleteLink;
export type CreateLink = Command<'CreateLink', LinkCreated['data'] & { readonly startedAt: Date }>;
/** A new slug must be reserved for the link before. */
export type UpdateLink = Command<'UpdateLink', { changes: Partial<LinkSettings> }>;
export type DeleteLink = Command<'DeleteLink', object>;

type Details = LinkDetails & { readonly linkId: string };
type Link = { readonly status: 'absent' | 'deleted' } | { readonly status: 'active'; readonly details: Details };

export const link = decider<Link, LinkCommand, LinkEvent>({
  initial: { status: 'absent' },

  decide: {
    CreateLink({ status }, { startedAt, ...data }) {
      if (status !== 'absent') throw new Rejection('LINK_EXISTS');
      assertFuture(data.expiresAt, startedAt);
      assertValid(data);
      return [{ type: 'LinkCreated', data }];
    },
    UpdateLink(state, { changes }) {
      const data = applyChanges(existing(state), changes);
      if (!data) return [];
      assertValid(data);
      return [{ type: 'LinkUpdated', data }];
    },
    DeleteLink: (state) => [{ type: 'LinkDeleted', data: existing(state) }],
  },

  evolve: {
    LinkCreated: (_, data) => ({ status: 'active', details: omit(data, 'createdBy') }),
    LinkUpdated: (_, data) => ({ status: 'active', details: omit(data, 'before') }),
    LinkDeleted: () => ({ status: 'deleted' }),
  },
});

function existing(state: Link): Details {
  if (state.status !== 'active') throw new Rejection('LINK_NOT_FOUND');
  return state.details;
}

const ADDRESSES = ['targetUrl', 'expiredRedirectUrl', 'iosUrl', 'androidUrl', 'ogImageUrl'] as const;

const maxLengthOf = (field: (typeof ADDRESSES)[number]) =>
  field === 'targetUrl' ? MAX_TARGET_LENGTH : MAX_ADDRESS_LENGTH;

function assertValid(details: LinkDetails): void {
  if (!isSlug(details.slug) || isReservedSlug(details.slug)) throw new Rejection('SLUG_INVALID', 'slug');
  const wrong = ADDRESSES.find((field) => details[field] !== null && !isWebAddress(details[field], maxLengthOf(field)));
  if (wrong) throw new Rejection('ADDRESS_INVALID', wrong);
}
