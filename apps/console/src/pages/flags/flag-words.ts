import type { FlagDto, FlagResultDto } from '@ledgerline/client';
import type { Tone } from '../../components/page-parts';

type FlagStatus = FlagDto['status'];
export type FlagKind = FlagDto['type'];
type Operator = FlagDto['rules'][number]['operator'];
type Unit = NonNullable<FlagDto['rollout']>['by'];

export const FLAG_STATUS_OPTIONS: readonly (readonly [FlagStatus, string])[] = [
  ['active', 'Active'],
  ['inactive', 'Inactive: clients do not find it'],
  ['archived', 'Archived: clients do not find it'],
];

export const STATUS_BADGES: Readonly<Record<FlagStatus, readonly [Tone, string]>> = {
  active: ['good', 'Active'],
  inactive: ['neutral', 'Inactive'],
  archived: ['neutral', 'Archived'],
};

export const TYPES: readonly (readonly [FlagKind, string])[] = [
  ['boolean', 'On or off'],
  ['rollout', 'On for a share of people'],
  ['multivariant', 'One of several variants'],
];

export const ROLLOUT_UNIT_OPTIONS: readonly (readonly [Unit, string])[] = [
  ['user', 'people'],
  ['organization', 'organizations'],
  ['team', 'teams'],
];

export const RULE_OPERATOR_OPTIONS: readonly (readonly [Operator, string])[] = [
  ['equals', 'equals'],
  ['contains', 'contains'],
  ['starts_with', 'starts with'],
  ['ends_with', 'ends with'],
  ['in', 'is one of'],
  ['not_in', 'is none of'],
  ['exists', 'is sent at all'],
  ['any_of', 'holds one of (lists)'],
  ['none_of', 'holds none of (lists)'],
  ['gt', 'is greater than or after'],
  ['gte', 'is at least, or not before'],
  ['lt', 'is less than or before'],
  ['lte', 'is at most, or not after'],
  ['semver_eq', 'is the version'],
  ['semver_gt', 'is a version above'],
  ['semver_gte', 'is a version from'],
  ['semver_lt', 'is a version below'],
  ['semver_lte', 'is a version up to'],
];

/** Why a unit has this value of a flag. */
export const REASONS: Readonly<Record<FlagResultDto['reason'], string>> = {
  USER_RULE_MATCH: 'A rule matched.',
  MULTIVARIANT_EVALUATED: 'The variant follows from the id of the person.',
  ROLLOUT_ENABLED: 'Within the share of the rollout.',
  ROLLOUT_DISABLED: 'Outside the share of the rollout, or nothing was sent whose share it is.',
  BOOLEAN_DEFAULT: 'Nothing else decided: the default.',
  FLAG_NOT_FOUND:
    'Clients find no such flag here: it is not active, of another website or environment, or hidden by the website’s own.',
};

/** Where a flag has which state. */
export const environmentsOf = ({ environment, environments }: FlagDto): readonly string[] =>
  environment === null ? environments.map(({ name, status }) => `${name}: ${status}`) : [environment];

/** Tells how people find out at a glance what a flag does. */
export function flagSummary({ type, defaultValue, rollout, variants, rules }: FlagDto): string {
  const how = {
    boolean: defaultValue === true ? 'On' : 'Off',
    rollout: `${rollout?.percentage ?? 0} % of ${ROLLOUT_UNIT_OPTIONS.find(([unit]) => unit === rollout?.by)?.[1] ?? 'people'}`,
    multivariant: `${variants.length} variants`,
  }[type];
  if (rules.length === 0) return how;
  return `${how}, ${rules.length} ${rules.length === 1 ? 'rule' : 'rules'}`;
}
