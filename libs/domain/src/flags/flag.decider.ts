import { Rejection, type RejectionFact } from '@ledgerline/contracts/errors/rejection';
import type {
  FlagCreated,
  FlagDetails,
  FlagEvent,
  FlagSettings,
  RuleCondition,
} from '@ledgerline/contracts/events/flag.events';
import { type Command, applyChanges, decider, omit } from '../decider';
import { conditionsOf, isAttribute } from './flag-rules';
import { movedRanges, plainRanges } from './variant-ranges';

export type FlagCommand = CreateFlag | UpdateFlag | DeleteFlag;
export type CreateFlag = Command<'CreateFlag', FlagCreated['data']>;
export type UpdateFlag = Command<'UpdateFlag', { flagId: string; changes: Partial<FlagSettings> }>;
export type DeleteFlag = Command<'DeleteFlag', { flagId: string }>;

/** The defaults of a flag: off for all. */
export const plainFlag = {
  description: null,
  type: 'boolean',
  status: 'active',
  defaultValue: false,
  payload: null,
  environment: null,
  environments: [],
  rollout: null,
  variants: [],
  variantRanges: null,
  rules: [],
} as const satisfies Omit<FlagDetails, 'organizationId' | 'websiteId' | 'key' | 'name' | 'ruleValues'>;

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
      if (status !== 'absent') throw new Rejection('FLAG_EXISTS', 'key');
      assertValid(data);
      return [{ type: 'FlagCreated', data }];
    },
    UpdateFlag(state, { flagId, changes }) {
      const held = existing(state, flagId);
      const changed = applyChanges(held, changes);
      if (!changed) return [];
      assertValid(changed);
      const data = applyChanges(held, { ...changes, variantRanges: rangesAfter(held, changed) });
      return [{ type: 'FlagUpdated', data: data ?? changed }];
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

/** Computes ranges in which those who had a variant keep it, as far as weights allow. */
function rangesAfter(held: FlagDetails, { type, variants }: FlagDetails): FlagDetails['variantRanges'] {
  if (type !== 'multivariant' || held.type !== 'multivariant') return null;
  return movedRanges(held.variantRanges ?? plainRanges(held.variants), variants);
}

function assertValid(details: FlagDetails): void {
  for (const [fact, field, isWrong] of RULES) if (isWrong(details)) throw new Rejection(fact, field);
}

/** What is refused of a flag: the fact, the field it is about, and when it holds. */
const RULES: readonly (readonly [RejectionFact, field: string, isWrong: (flag: FlagDetails) => boolean])[] = [
  ['FLAG_KEY_INVALID', 'key', ({ key }) => !KEY.test(key)],
  [
    'FLAG_DEFAULT_INVALID',
    'defaultValue',
    ({ type, defaultValue }) => type !== 'multivariant' && typeof defaultValue !== 'boolean',
  ],
  ['FLAG_ROLLOUT_INVALID', 'rollout', ({ type, rollout }) => (type === 'rollout') !== (rollout !== null)],
  ['FLAG_VARIANTS_INVALID', 'variants', ({ type, variants }) => (type === 'multivariant') !== variants.length > 0],
  ['FLAG_VARIANTS_REPEATED', 'variants', ({ variants }) => hasRepeated(variants.map(({ key }) => key))],
  [
    'FLAG_WEIGHTS_INVALID',
    'variants',
    ({ type, variants }) => type === 'multivariant' && !variants.some(({ weight }) => weight > 0),
  ],
  [
    'FLAG_ENVIRONMENTS_INVALID',
    'environments',
    ({ environment, environments = [] }) => environment !== null && environments.length > 0,
  ],
  [
    'FLAG_ENVIRONMENTS_REPEATED',
    'environments',
    ({ environments = [] }) => hasRepeated(environments.map(({ name }) => name)),
  ],
  [
    'FLAG_ATTRIBUTE_INVALID',
    'rules',
    ({ rules }) => !rules.flatMap<RuleCondition>(conditionsOf).every(({ attribute }) => isAttribute(attribute)),
  ],
];

const hasRepeated = (names: readonly string[]): boolean => new Set(names).size < names.length;
