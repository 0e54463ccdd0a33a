import { Problem, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import type { Filter } from '@ledgerline/domain/query/filters';
import { closest } from '@ledgerline/domain/query/suggestion';
import { isIdFilter, type QueryType } from '../query-type';
import type { QueryParameter } from '../request/read-requests';

/** @throws Problem if the type does not know a filter, or lacks one it needs */
export function checkFilters(type: QueryType, filters: readonly Filter[]): void {
  const errors = [
    ...filters.flatMap((filter, at) => wrongIn(type, filter).map((error) => ({ ...error, field: `filters[${at}]` }))),
    ...missingIn(type, filters),
  ];
  const message = errors.map((error) => error.message).join(' ');
  if (errors.length > 0) throw new Problem('VALIDATION_ERROR', message, errors);
}

/** @throws Problem if a number of samples is asked of a type that has none */
export function checkMinSamples({ type, minSamples }: Pick<QueryParameter, 'type' | 'minSamples'>): void {
  if (minSamples === undefined || 'samples' in type.fields) return;
  const message = `${type.name} has no samples and takes no minSamples; give it to the parameters that have samples.`;
  throw new Problem('VALIDATION_ERROR', message, [{ field: 'minSamples', message }]);
}

function wrongIn(type: QueryType, { field, op }: Filter): Omit<FieldError, 'field'>[] {
  if (!type.allowedFilters.includes(field)) return [unknownField(type, field)];
  if (!isIdFilter(field) || op === 'eq' || op === 'in') return [];
  return [{ message: `The filter ${field} takes only the ops eq and in.` }];
}

function unknownField({ name, allowedFilters }: QueryType, field: string): Omit<FieldError, 'field'> {
  const suggestion =
    closest(field, allowedFilters) ?? allowedFilters.find((allowed) => allowed.startsWith(`${field}_`));
  const meant = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
  return {
    message: `${name} has no filter ${field}; it has ${allowedFilters.join(', ')}.${meant}`,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

const missingIn = ({ name, requiredFilters }: QueryType, filters: readonly Filter[]): FieldError[] =>
  requiredFilters
    .filter((required) => !filters.some(({ field }) => field === required))
    .map((field) => ({
      field: 'filters',
      message: `${name} needs a filter on ${field}, such as {"field":"${field}","op":"eq","value":"…"}.`,
    }));
