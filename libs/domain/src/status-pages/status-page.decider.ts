import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type {
  StatusPageCreated,
  StatusPageEvent,
  StatusPageSettings,
  StatusSlugReserved,
} from '@ledgerline/contracts/events/status-page.events';
import { type Command, applyChanges, decider, omit } from '../decider';

export type StatusPageCommand = CreateStatusPage | UpdateStatusPage | DeleteStatusPage;
export type CreateStatusPage = Command<'CreateStatusPage', StatusPageCreated['data']>;
export type UpdateStatusPage = Command<
  'UpdateStatusPage',
  { statusPageId: string; changes: Partial<StatusPageSettings> }
>;
export type DeleteStatusPage = Command<'DeleteStatusPage', { statusPageId: string }>;

type Details = StatusPageCreated['data'];
type StatusPage = { readonly status: 'absent' } | { readonly status: 'present'; readonly details: Details };

/**
 * A stream belongs to a slug of an organization, so that two pages cannot have the same one. After a deletion the slug is free
 * for another page of the organization, with a new id.
 */
export const statusPage = decider<StatusPage, StatusPageCommand, StatusPageEvent>({
  initial: { status: 'absent' },

  decide: {
    CreateStatusPage({ status }, data) {
      if (status !== 'absent') throw new Rejection('STATUS_PAGE_EXISTS', 'slug');
      assertValid(data);
      return [{ type: 'StatusPageCreated', data }];
    },
    UpdateStatusPage(state, { statusPageId, changes }) {
      const data = applyChanges(existing(state, statusPageId), changes);
      if (!data) return [];
      assertValid(data);
      return [{ type: 'StatusPageUpdated', data }];
    },
    DeleteStatusPage: (state, { statusPageId }) => [{ type: 'StatusPageDeleted', data: existing(state, statusPageId) }],
  },

  evolve: {
    StatusPageCreated: (_, details) => ({ status: 'present', details }),
    StatusPageUpdated: (_, data) => ({ status: 'present', details: omit(data, 'before') }),
    StatusPageDeleted: () => ({ status: 'absent' }),
  },
});

function existing(state: StatusPage, statusPageId: string): Details {
  if (state.status !== 'present' || state.details.statusPageId !== statusPageId)
    throw new Rejection('STATUS_PAGE_NOT_FOUND');
  return state.details;
}

function assertValid({ monitorIds }: StatusPageSettings): void {
  if (new Set(monitorIds).size < monitorIds.length) throw new Rejection('MONITORS_REPEATED', 'monitorIds');
}

type ReserveStatusSlug = Command<'ReserveStatusSlug', StatusSlugReserved['data']>;
type Slug = { readonly takenBy: string | null };

/** True for a slug that a page may have: 3–50 of a–z, 0–9 and -. */
export const isStatusSlug = (text: string): boolean => /^[a-z0-9](?:[a-z0-9-]{1,48})[a-z0-9]$/.test(text);

/** A slug belongs to one organization for ever, whatever becomes of its page. */
export const statusSlug = decider<Slug, ReserveStatusSlug, StatusSlugReserved>({
  initial: { takenBy: null },

  decide: {
    ReserveStatusSlug({ takenBy }, data) {
      if (takenBy !== null && takenBy !== data.organizationId) throw new Rejection('SLUG_TAKEN', 'slug');
      if (takenBy !== null) return [];
      if (!isStatusSlug(data.slug)) throw new Rejection('STATUS_SLUG_INVALID', 'slug');
      return [{ type: 'StatusSlugReserved', data }];
    },
  },

  evolve: {
    StatusSlugReserved: (_, { organizationId }) => ({ takenBy: organizationId }),
  },
});
