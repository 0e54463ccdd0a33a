import { Rejection } from '@ledgerline/contracts/errors/rejection';
import type { FlagCreated, FlagDetails, FlagEvent, FlagSettings } from '@ledgerline/contracts/events/flag.events';
import { applyChanges, omit } from '../changes';
import { decider, type Command } from '../decider';
import { isAttribute } from './flag-rules';

export type FlagCommand = CreateFlag | UpdateFlag | DeleteFlag;
export type CreateFlag = Command<'CreateFlag', FlagCreated['data']>;
export type UpdateFlag = Command<'UpdateFlag', { flagId: string; changes: Partial<FlagSettings> }>;
export type DeleteFlag = Command<'DeleteFlag', { flagId: string }>;

type Details = FlagDetails & { readonly flagId: string };
type Flag = { readonly status: 'absent' } | { readonly status: 'present'; readonly details: Details };

const KEY = /^[A-Za-z0-9_-]{1,100}$/;

/**
 * A stream belongs to a key of a website or organization, so that two flags cannot have the same one. After a deletion
 * the key is free for a new flag, with a new id.
 */
export const flag = decider<Flag, FlagCommand, FlagEvent>({
  initial: { status: 'absent' },

  decide: {
    CreateFlag({ status }, data) {
      if (status !== 'absent') throw new Rejection('FLAG_EXISTS');
      assertValid(data);
      return [{ type: 'FlagCreated', data }];
    },
    UpdateFlag(state, { flagId, changes }) {
      const data = applyChanges(existing(state, flagId), changes);
      if (!data) return [];
      assertValid(data);
      return [{ type: 'FlagUpdated', data }];
    },
    DeleteFlag: (state, { flagId }) => [{ type: 'FlagDeleted', data: omit(existing(state, flagId), 'ruleValues') }],
  },

  evolve: {
    FlagCreated: (_, data) => ({ status: 'present', details: data }),
    FlagUpdated: (_, data) => ({ status: 'present', details: omit(data, 'before') }),
    FlagDeleted: () => ({ status: 'absent' }),
  },
});

function existing(state: Flag, flagId: string): Details {
  if (state.status !== 'present' || state.details.flagId !== flagId) throw new Rejection('FLAG_NOT_FOUND');
  return state.details;
}

function assertValid({ key, type, defaultValue, rollout, variants, rules }: FlagDetails): void {
  if (!KEY.test(key)) throw new Rejection('FLAG_KEY_INVALID', 'key');
  if (type !== 'multivariant' && typeof defaultValue !== 'boolean')
    throw new Rejection('FLAG_DEFAULT_INVALID', 'defaultValue');
  if ((type === 'rollout') !== (rollout !== null)) throw new Rejection('FLAG_ROLLOUT_INVALID', 'rollout');
  if ((type === 'multivariant') !== variants.length > 0) throw new Rejection('FLAG_VARIANTS_INVALID', 'variants');
  if (new Set(variants.map((variant) => variant.key)).size !== variants.length)
    throw new Rejection('FLAG_VARIANTS_REPEATED', 'variants');
  if (type === 'multivariant' && !variants.some(({ weight }) => weight > 0))
    throw new Rejection('FLAG_WEIGHTS_INVALID', 'variants');
  if (!rules.every(({ attribute }) => isAttribute(attribute))) throw new Rejection('FLAG_ATTRIBUTE_INVALID', 'rules');
}
