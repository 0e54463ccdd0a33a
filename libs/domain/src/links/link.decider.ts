import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type {
  LinkCreated,
  LinkDetails,
  LinkEvent,
  LinkSettings,
  SlugReserved,
} from '@ledgerline/contracts/events/link.events';
import { MAX_LINK_TAGS } from '@ledgerline/contracts/events/tag.events';
import {
  applyChanges,
  assertFuture,
  type Command,
  decider,
  requireExisting,
  type RecordLifecycle,
  omit,
} from '../decider';
import { isReservedSlug, isSlug, isWebAddress, MAX_ADDRESS_LENGTH, MAX_TARGET_LENGTH } from './link-addresses';

export type LinkCommand = CreateLink | UpdateLink | TagLink | DeleteLink;
export type CreateLink = Command<'CreateLink', LinkCreated['data'] & { readonly startedAt: Date }>;
/** A new slug must be reserved for the link before. */
export type UpdateLink = Command<'UpdateLink', { changes: Partial<LinkSettings> }>;
/** Puts tags on a link and takes others off, whatever else it has. */
export type TagLink = Command<'TagLink', { readonly add: readonly string[]; readonly remove: readonly string[] }>;
export type DeleteLink = Command<'DeleteLink', object>;

/** A link that has nothing but what every link must have. */
export const plainLink = {
  externalId: null,
  expiresAt: null,
  expiredRedirectUrl: null,
  iosUrl: null,
  androidUrl: null,
  ogTitle: null,
  ogDescription: null,
  ogImageUrl: null,
  forwardQuery: true,
  trackVisits: true,
  tagIds: [],
} as const satisfies Omit<LinkDetails, 'organizationId' | 'slug' | 'name' | 'targetUrl'>;

type Link = RecordLifecycle<LinkDetails & { readonly linkId: string }>;

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
      const data = applyChanges(requireExisting(state, 'LINK_NOT_FOUND'), changes);
      if (!data) return [];
      assertValid(data);
      return [{ type: 'LinkUpdated', data }];
    },
    TagLink(state, { add, remove }) {
      const details = requireExisting(state, 'LINK_NOT_FOUND');
      const { tagIds: before = [] } = details;
      const tagIds = [...new Set([...before.filter((id) => !remove.includes(id)), ...add])];
      if (tagIds.length > MAX_LINK_TAGS) throw new Rejection('LINK_TAGS_FULL');
      const data = applyChanges(details, { tagIds });
      return data ? [{ type: 'LinkUpdated', data }] : [];
    },
    DeleteLink: (state) => [{ type: 'LinkDeleted', data: requireExisting(state, 'LINK_NOT_FOUND') }],
  },

  evolve: {
    LinkCreated: (_, data) => ({ status: 'present', details: omit(data, 'createdBy') }),
    LinkUpdated: (_, data) => ({ status: 'present', details: omit(data, 'before') }),
    LinkDeleted: () => ({ status: 'deleted' }),
  },
});

const ADDRESSES = ['targetUrl', 'expiredRedirectUrl', 'iosUrl', 'androidUrl', 'ogImageUrl'] as const;

const maxLengthOf = (field: (typeof ADDRESSES)[number]) =>
  field === 'targetUrl' ? MAX_TARGET_LENGTH : MAX_ADDRESS_LENGTH;

function assertValid(details: LinkDetails): void {
  if (!isSlug(details.slug) || isReservedSlug(details.slug)) throw new Rejection('SLUG_INVALID', 'slug');
  const wrong = ADDRESSES.find((field) => details[field] !== null && !isWebAddress(details[field], maxLengthOf(field)));
  if (wrong) throw new Rejection('ADDRESS_INVALID', wrong);
}

export type ReserveSlug = Command<'ReserveSlug', SlugReserved['data']>;

type Slug = { readonly status: 'free' } | { readonly status: 'taken'; readonly linkId: string };

/** A slug belongs to one link for ever, whatever becomes of the link, which may go back to it. */
export const linkSlug = decider<Slug, ReserveSlug, SlugReserved>({
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
