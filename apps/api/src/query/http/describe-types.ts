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

const describe = ({ about, description, category, fields, allowedFilters, granularity, publicAccess }: QueryType) => ({
  about,
  meaning: description,
  category,
  fields: Object.entries(fields).map(([name, { type, unit }]) => ({ name, type, ...(unit ? { unit } : {}) })),
  allowedFilters,
  ...(granularity ? { granularity } : {}),
  defaultLimit: DEFAULT_LIMIT,
  publicAccess,
});
