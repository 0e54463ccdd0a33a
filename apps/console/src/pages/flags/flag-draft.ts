import type { CreateFlagDto, FlagDto, UpdateFlagDto } from '@ledgerline/client';

type Rule = FlagDto['rules'][number];
type Variant = FlagDto['variants'][number];

/** A rule as it is edited: its values one a line. */
export interface RuleDraft extends Omit<Rule, 'values'> {
  readonly id: number;
  readonly values: string;
}

/** A variant as it is edited. */
export interface VariantDraft extends Omit<Variant, 'value' | 'weight'> {
  readonly id: number;
  readonly value: string;
  readonly weight: string;
}

/** The lists of a flag as they are edited; all else is in the form itself. */
export interface FlagDraft {
  readonly rules: readonly RuleDraft[];
  readonly variants: readonly VariantDraft[];
}

let lastId = 0;

export const newRule = (): RuleDraft => ({
  id: ++lastId,
  attribute: 'email',
  operator: 'ends_with',
  values: '',
  enabled: true,
});

export const newVariant = (key: string): VariantDraft => ({ id: ++lastId, key, value: key, weight: '50' });

export const draftOf = (flag?: FlagDto): FlagDraft => ({
  rules: (flag?.rules ?? []).map(({ values, ...rule }) => ({ ...rule, id: ++lastId, values: values.join('\n') })),
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

/** What has to be corrected before the api is asked, by field. */
export class DraftError extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

function payloadIn(text: string): FlagDto['payload'] {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text) as FlagDto['payload']; // any JSON is one
  } catch {
    throw new DraftError('payload', 'payload must be JSON, with texts in double quotes');
  }
}

type Options = Omit<CreateFlagDto, 'organizationId' | 'websiteId' | 'key' | 'name'>;

/** What the form says, for the api. @throws DraftError */
export function optionsIn(texts: Readonly<Record<string, string>>, { rules, variants }: FlagDraft): Options {
  const type = texts['type'] as Options['type']; // of its own options, as all that are cast here
  return {
    description: texts['description'] || null,
    type,
    status: texts['status'] as Options['status'],
    environment: texts['environment'] || null,
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
    rules: rules.map(({ attribute, operator, values, enabled }) => ({
      attribute,
      operator,
      enabled,
      values: operator === 'exists' ? [] : values.split('\n').filter((value) => value.trim() !== ''),
    })),
  };
}
