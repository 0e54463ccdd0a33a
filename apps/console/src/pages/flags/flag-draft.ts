import { ApiError, type CreateFlagDto, type FlagDto, type UpdateFlagDto } from '@ledgerline/client';
import type { Texts } from '../../components/form';

type Rule = FlagDto['rules'][number];
type Condition = Pick<Rule, 'attribute' | 'operator' | 'values'>;
type Environment = FlagDto['environments'][number];
type Variant = FlagDto['variants'][number];

/** A condition as it is edited: its values one a line. */
export interface RuleConditionDraft extends Omit<Condition, 'values'> {
  readonly id: number;
  readonly values: string;
}

/** A rule as it is edited. */
export interface RuleDraft extends Pick<Rule, 'enabled'> {
  readonly id: number;
  readonly conditions: readonly RuleConditionDraft[];
  /** Empty = all of those who match. */
  readonly percentage: string;
  readonly by: NonNullable<FlagDto['rollout']>['by'];
}

export interface EnvironmentDraft extends Environment {
  readonly id: number;
}

/** A variant as it is edited. */
export interface VariantDraft extends Omit<Variant, 'value' | 'weight'> {
  readonly id: number;
  readonly value: string;
  readonly weight: string;
}

/** The lists of a flag as they are edited; all else is in the form itself. */
export interface FlagDraft {
  readonly environments: readonly EnvironmentDraft[];
  readonly rules: readonly RuleDraft[];
  readonly variants: readonly VariantDraft[];
}

/** Returns which rows there are, in which order. */
export const flagRowKeys = ({ environments, rules, variants }: FlagDraft): string =>
  JSON.stringify(
    [environments, rules, rules.flatMap(({ conditions }) => conditions), variants].map((rows) =>
      rows.map(({ id }) => id),
    ),
  );

let lastId = 0;

export const newRuleCondition = (): RuleConditionDraft => ({
  id: ++lastId,
  attribute: 'email',
  operator: 'ends_with',
  values: '',
});

export const newRule = (): RuleDraft => ({
  id: ++lastId,
  conditions: [newRuleCondition()],
  percentage: '',
  by: 'user',
  enabled: true,
});

export const newEnvironment = (): EnvironmentDraft => ({ id: ++lastId, name: '', status: 'inactive' });

export const newVariant = (key: string): VariantDraft => ({ id: ++lastId, key, value: key, weight: '50' });

export const flagDraftOf = (flag?: FlagDto): FlagDraft => ({
  environments: (flag?.environments ?? []).map((environment) => ({ ...environment, id: ++lastId })),
  rules: (flag?.rules ?? []).map(({ and, rollout, enabled, ...first }) => ({
    id: ++lastId,
    conditions: [first, ...(and ?? [])].map(({ values, ...condition }) => ({
      ...condition,
      id: ++lastId,
      values: values.join('\n'),
    })),
    percentage: rollout ? String(rollout.percentage) : '',
    by: rollout?.by ?? 'user',
    enabled,
  })),
  variants: flag
    ? flag.variants.map(({ key, value, weight }) => ({
        id: ++lastId,
        key,
        value: textOfValue(value),
        weight: String(weight),
      }))
    : [newVariant('control'), newVariant('variant')],
});

/** Texts are shown as they are, all else as JSON. */
export const textOfValue = (value: unknown): string =>
  typeof value === 'string' && valueIn(value) === value ? value : JSON.stringify(value);

/** JSON; anything else is a text. */
function valueIn(text: string): Variant['value'] {
  try {
    const value: unknown = JSON.parse(text);
    return value === null ? text : (value as Variant['value']); // what JSON holds beside null
  } catch {
    return text;
  }
}

function payloadIn(text: string): FlagDto['payload'] {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as FlagDto['payload']; // any JSON is one
  } catch {
    const details = [{ field: 'payload', message: 'payload must be JSON, with texts in double quotes' }];
    throw new ApiError({ code: 'VALIDATION_ERROR', error: '', details }, new Response(null, { status: 400 }));
  }
}

type Options = Omit<CreateFlagDto, 'organizationId' | 'websiteId' | 'key' | 'name'>;

/** Returns what the form says, for the api. @throws ApiError where it cannot be sent, as the api itself refuses */
export function optionsIn(texts: Texts, { environments, rules, variants }: FlagDraft): Options {
  const type = texts['type'] as Options['type']; // of its own options, as all that are cast here
  return {
    description: texts['description'] || null,
    type,
    status: texts['status'] as Options['status'],
    environment: texts['environment'] || null,
    environments: environments.map(({ name, status }) => ({ name, status })),
    defaultValue: type === 'multivariant' ? valueIn(texts['defaultText'] ?? '') : texts['defaultValue'] === 'true',
    payload: payloadIn(texts['payload'] ?? ''),
    rollout:
      type === 'rollout'
        ? { percentage: Number(texts['percentage']), by: texts['by'] as NonNullable<UpdateFlagDto['rollout']>['by'] }
        : null,
    variants:
      type === 'multivariant'
        ? variants.map(({ key, value, weight }) => ({ key, value: valueIn(value), weight: Number(weight) }))
        : [],
    rules: rules.map(ruleIn),
  };
}

function ruleIn({ conditions, percentage, by, enabled }: RuleDraft): Rule {
  const [first = newRuleCondition(), ...and] = conditions;
  return {
    ...conditionIn(first),
    enabled,
    and: and.map(conditionIn),
    rollout: percentage.trim() === '' ? null : { percentage: Number(percentage), by },
  };
}

const conditionIn = ({ attribute, operator, values }: RuleConditionDraft): Condition => ({
  attribute,
  operator,
  values: operator === 'exists' ? [] : values.split('\n').filter((value) => value.trim() !== ''),
});
