import { isIdFilter } from '@ledgerline/contracts/attributes';
import type { FieldFilter, Filter, SegmentDefinition } from '@ledgerline/contracts/definitions';
import { Problem, type FieldError } from '@ledgerline/contracts/errors/error-codes';
import { alternativesIn, isAnyOf, isNumberOp } from '@ledgerline/domain/query/filters';
import { closest } from '@ledgerline/domain/query/suggestion';
import { forbidden } from '../../http/problems';
import { CHANGE, minSamplesOf } from '../declaration/fields';
import { type ParameterOptions, wrongOption } from '../declaration/options';
import { isComparable, type QueryType } from '../declaration/query-type';
import { OPTION_NAMES } from '../request/parameter-options.dto';
import { checkFiltersOfReader } from '../request/query-targets';
import type { QueryParameter, QueryRequest } from '../request/read-requests';

type CheckedRequest = Pick<QueryRequest, 'filters' | 'sort' | 'parameters' | 'segment' | 'target'>;

/** @throws Problem if its caller may not ask it, or its type does not support what is asked, or lacks a filter it needs */
export function checkParameter(parameter: QueryParameter, request: CheckedRequest): void {
  const { type, options, unresolved } = parameter;
  const { target, filters, segment } = request;
  // a segment could ask for a property of a person
  if (target.publicOnly && (segment || !type.publicAccess)) throw forbidden({ needs: 'read:data', of: 'website' });
  checkFiltersOfReader(target, filters);
  if (unresolved) throw unresolved;
  if (target.tag && type.about !== target.about)
    throw new Problem('VALIDATION_ERROR', `${type.name} is asked of a ${type.about} or of one link, not of a tag.`);
  checkFilters(type, filters);
  if (segment) checkSegment(type, segment);
  checkOptions(type, options);
  type.takes.check?.({ options, visitorIdentity: target.visitorIdentity });
  checkMinSamples(parameter);
  checkMinutes(parameter);
  checkSort(parameter, request);
}

/** @throws Problem if rows cannot be sorted as is asked */
function checkSort(parameter: QueryParameter, { sort, parameters }: Pick<CheckedRequest, 'sort' | 'parameters'>): void {
  if (!sort) return;
  const { type } = parameter;
  // a single row needs no order, so that it may be asked for beside lists with other fields
  const sorted = type.shape === 'totals' ? parameters : [parameter];
  if (sorted.some((each) => sortable(each).includes(sort.field))) return;
  const fields = sortable(parameter).join(', ');
  const needed = sort.field === CHANGE && isComparable(type) ? `, and with compare by ${CHANGE}` : '';
  throw new Problem(
    'VALIDATION_ERROR',
    `${type.name} cannot be sorted by ${sort.field}; it can by ${fields}${needed}.`,
  );
}

const sortable = ({ type, earlier }: QueryParameter): readonly string[] => [
  ...(type.arrange ? [] : (type.sources.singles?.sortedBy ?? Object.keys(type.fields))),
  ...(earlier ? [CHANGE] : []),
];

/** @throws Problem if a type lacks an option that it needs, or has one that it does not take */
function checkOptions({ name, takes }: QueryType, options: ParameterOptions): void {
  for (const option of OPTION_NAMES) {
    if (options[option] !== undefined && !takes.options.includes(option))
      throw wrongOption(
        option,
        `${name} takes no ${option}${takes.options.length > 0 ? `; it takes ${takes.options.join(', ')}` : ''}.`,
      );
    if (options[option] === undefined && takes.needs.includes(option))
      throw wrongOption(option, `${name} needs ${option}.`);
  }
}

/** @throws Problem if a minimum is asked of a type that has none */
function checkMinSamples({ type, minSamples }: QueryParameter): void {
  if (minSamples === undefined || minSamplesOf(type)) return;
  throw wrongOption('minSamples', `${type.name} has no minimum; give minSamples to the parameters that have one.`);
}

/** @throws Problem if minutes are asked of a type that is not about the last ones */
function checkMinutes({ type, minutes }: QueryParameter): void {
  if (minutes === undefined || type.range === 'minutes') return;
  throw wrongOption('minutes', `${type.name} is not about the last minutes; give minutes to the parameters that are.`);
}

/** @throws Problem if the type does not know a filter of the segment, or is read from what has no sessions of others */
function checkSegment(type: QueryType, { filters, did }: SegmentDefinition): void {
  const errors = errorsIn(type, filters, 'segment.filters');
  const message = errors.map((error) => error.message).join(' ');
  if (errors.length > 0) throw new Problem('VALIDATION_ERROR', message, errors);
  if (did.length === 0) return;
  if (type.sources.facts || !type.counting)
    throw wrongOption('segment', `${type.name} lists single things and takes only segments without did.`);
}

/** @throws Problem if the type does not know a filter, or lacks one it needs */
export function checkFilters(type: QueryType, filters: readonly Filter[]): void {
  const errors = [...errorsIn(type, filters, 'filters'), ...missingIn(type, filters)];
  const message = errors.map((error) => error.message).join(' ');
  if (errors.length > 0) throw new Problem('VALIDATION_ERROR', message, errors);
}

const errorsIn = (type: QueryType, filters: readonly Filter[], list: string): FieldError[] =>
  filters.flatMap((filter, at) =>
    alternativesIn(filter).flatMap((alternative, nth) =>
      wrongIn(type, alternative, isAnyOf(filter)).map((error) => ({
        ...error,
        field: `${list}[${at}]${isAnyOf(filter) ? `.any[${nth}]` : ''}`,
      })),
    ),
  );

function wrongIn(type: QueryType, { field, op }: FieldFilter, isOneOfSeveral: boolean): Omit<FieldError, 'field'>[] {
  if (!type.takes.filters.includes(field)) return [unknownField(type, field)];
  if (isNumberOp(op)) return [{ message: `The op ${op} compares numbers; the values of ${field} are texts.` }];
  if (!isIdFilter(field)) return [];
  if (isOneOfSeveral) return [{ message: `The filter ${field} stands alone, and not in any.` }];
  if (op === 'eq' || op === 'in') return [];
  return [{ message: `The filter ${field} takes only the ops eq and in.` }];
}

function unknownField({ name, takes: { filters } }: QueryType, field: string): Omit<FieldError, 'field'> {
  const suggestion = closest(field, filters) ?? filters.find((allowed) => allowed.startsWith(`${field}_`));
  const meant = suggestion === undefined ? '' : ` Did you mean ${suggestion}?`;
  return {
    message: `${name} has no filter ${field}; it has ${filters.join(', ') || 'none'}.${meant}`,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

const missingIn = ({ name, takes }: QueryType, filters: readonly Filter[]): FieldError[] =>
  takes.ids
    .filter((required) => !filters.some((filter) => !isAnyOf(filter) && filter.field === required))
    .map((field) => ({
      field: 'filters',
      message: `${name} needs a filter on ${field}, such as {"field":"${field}","op":"eq","value":"…"}.`,
    }));
