import { Rejection } from '@ledgerline/contracts/errors/rejection';
import {
  DASHBOARD_PANELS,
  type ShareCreated,
  type ShareEvent,
  type ShareSettings,
} from '@ledgerline/contracts/events/share.events';
import {
  applyChanges,
  assertFuture,
  type Command,
  decider,
  requireExisting,
  type RecordLifecycle,
  omit,
} from '../decider';

export type ShareCommand = CreateShare | UpdateShare | DeleteShare;
export type CreateShare = Command<'CreateShare', ShareCreated['data'] & { startedAt: Date }>;
export type UpdateShare = Command<'UpdateShare', { changes: Partial<ShareSettings> }>;
export type DeleteShare = Command<'DeleteShare', object>;

type Share = RecordLifecycle<ShareCreated['data']>;

/** The defaults of a share: the whole dashboard of everything, for ever, for everybody who has the address. */
export const plainShare = {
  panels: DASHBOARD_PANELS,
  filters: [],
  expiresAt: null,
} as const satisfies Omit<ShareSettings, 'name' | 'passwordHash'>;

/** A website's statistics at an address that others cannot guess. A deleted one is never found again. */
export const share = decider<Share, ShareCommand, ShareEvent>({
  initial: { status: 'absent' },

  decide: {
    CreateShare({ status }, { startedAt, ...data }) {
      if (status !== 'absent') throw new Rejection('SHARE_EXISTS');
      assertFuture(data.expiresAt, startedAt);
      return [{ type: 'ShareCreated', data: { ...data, panels: inOrder(data.panels) } }];
    },
    UpdateShare(state, { changes: { panels, ...changes } }) {
      const data = applyChanges(requireExisting(state, 'SHARE_NOT_FOUND'), {
        ...changes,
        ...(panels && { panels: inOrder(panels) }),
      });
      return data ? [{ type: 'ShareUpdated', data }] : [];
    },
    DeleteShare: (state) => [
      { type: 'ShareDeleted', data: omit(requireExisting(state, 'SHARE_NOT_FOUND'), 'passwordHash') },
    ],
  },

  evolve: {
    ShareCreated: (_, details) => ({ status: 'present', details }),
    ShareUpdated: (_, data) => ({ status: 'present', details: omit(data, 'before') }),
    ShareDeleted: () => ({ status: 'deleted' }),
  },
});

const inOrder = (panels: ShareSettings['panels']): ShareSettings['panels'] =>
  DASHBOARD_PANELS.filter((panel) => panels.includes(panel));
