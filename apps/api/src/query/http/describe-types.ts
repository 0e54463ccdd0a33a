import { PRESETS } from '@ledgerline/domain/query/presets';
import type { QueryType } from '../query-type';
import { DEFAULT_LIMIT } from '../request/query-request.dto';
import { CATALOGUE } from '../types/catalogue';

/** The body of `GET /v1/query/types`. */
export const describeTypes = () => ({
  success: true as const,
  types: CATALOGUE.map(({ name }) => name),
  configs: Object.fromEntries(CATALOGUE.map((type) => [type.name, describe(type)])),
  presets: PRESETS,
});

const describe = (type: QueryType) => ({
  about: type.about,
  meaning: type.description,
  category: type.category,
  fields: Object.entries(type.fields).map(([name, { type, unit }]) => ({ name, type, ...(unit ? { unit } : {}) })),
  allowedFilters: type.allowedFilters,
  ...(type.requiredFilters.length > 0 ? { requiredFilters: type.requiredFilters } : {}),
  ...(type.granularity ? { granularity: type.granularity } : {}),
  ...accuracyOf(type),
  ...(type.minimum ? { minimum: { of: type.minimum.of, default: type.minimum.byDefault } } : {}),
  defaultLimit: DEFAULT_LIMIT,
  comparable: type.isComparable,
  publicAccess: type.publicAccess,
});

/** The relative error of the fields that are not exact. */
function accuracyOf({ fields }: QueryType): { readonly accuracy?: Readonly<Record<string, number>> } {
  const errors = Object.entries(fields).flatMap(([name, { accuracy }]) =>
    accuracy ? [[name, accuracy] as const] : [],
  );
  return errors.length > 0 ? { accuracy: Object.fromEntries(errors) } : {};
}
