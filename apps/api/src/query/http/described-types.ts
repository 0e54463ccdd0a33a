import { PRESETS } from '@ledgerline/domain/query/presets';
import { CATALOGUE } from '../types/catalogue';
import type { QueryType } from '../query-type';
import { DEFAULT_LIMIT } from '../request/query-request.dto';

/** The catalogue as callers see it: the body of `GET /v1/query/types`. */
export const describedTypes = () => ({
  success: true as const,
  types: CATALOGUE.map(({ name }) => name),
  configs: Object.fromEntries(CATALOGUE.map((type) => [type.name, describe(type)])),
  presets: PRESETS,
});

const describe = ({ about, meaning, category, fields, allowedFilters, granularity, publicAccess }: QueryType) => ({
  about,
  meaning,
  category,
  fields: Object.entries(fields).map(([name, { type, unit }]) => ({ name, type, ...(unit ? { unit } : {}) })),
  allowedFilters,
  ...(granularity ? { granularity } : {}),
  defaultLimit: DEFAULT_LIMIT,
  publicAccess,
});
