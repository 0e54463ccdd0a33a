import { FILTER_OPS, PROPERTY, type FilterOp } from '@ledgerline/contracts/definitions';
import { MAX_NAME } from '@ledgerline/contracts/intake-limits';
import { isDecimal, isNumberOp } from '@ledgerline/domain/query/filters';
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, getSchemaPath, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsIn,
  IsString,
  MaxLength,
  ValidateBy,
  ValidateIf,
  type ValidationArguments,
} from 'class-validator';
import { MaxEntries, NestedList } from './nested';

/** Of the name of a field, in characters. */
export const MAX_FIELD = PROPERTY.length + MAX_NAME;
const MAX_TEXT = 2048;
const MAX_VALUES = 100;
const MAX_ANY = 20;
const NO_FILTER = 'each filter must be an object with field, op and value';

const NO_VALUES = `must be a list of 1 to ${MAX_VALUES} texts for the ops in and not_in`;

const isText = (value: unknown): boolean => typeof value === 'string' && value.length <= MAX_TEXT;

/** What the value of a filter must be, by its op; undefined for one that is. */
function wrongInValue(value: unknown, filter: object): string | undefined {
  const op: unknown = 'op' in filter ? filter.op : undefined;
  if (op === 'in' || op === 'not_in') {
    return Array.isArray(value) && value.length > 0 && value.every(isText) ? undefined : NO_VALUES;
  }
  if (!isText(value)) return `must be a text of at most ${MAX_TEXT} characters`;
  return isNumberOp(op) && !isDecimal(value as string)
    ? 'must be a number as a text, such as "19.99", for the ops gt, gte, lt and lte'
    : undefined;
}

/** A text, for some ops that of a number, or for the ops `in` and `not_in` a list of texts. */
const IsFilterValue = () =>
  ValidateBy({
    name: 'isFilterValue',
    validator: {
      validate: (value: unknown, field?: ValidationArguments) => wrongInValue(value, field?.object ?? {}) === undefined,
      defaultMessage: (field?: ValidationArguments) => `value ${wrongInValue(field?.value, field?.object ?? {}) ?? ''}`,
    },
  });

export class FilterDto {
  @ApiProperty()
  @IsString()
  @MaxLength(MAX_FIELD)
  field: string;

  @ApiProperty({ enum: FILTER_OPS })
  @IsIn(FILTER_OPS)
  op: FilterOp;

  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'array', maxItems: MAX_VALUES, items: { type: 'string' } }] })
  @MaxEntries(MAX_VALUES, `value ${NO_VALUES}`)
  @IsFilterValue()
  value: string | string[];
}

/** The filters of `any`, of a class. */
export const AnyOf = (filter: () => Type<FilterDto>) =>
  applyDecorators(ArrayMinSize(1), ArrayMaxSize(MAX_ANY), NestedList(filter, NO_FILTER));

export class AnyFilterDto {
  @ApiProperty({
    type: [FilterDto],
    minItems: 1,
    maxItems: MAX_ANY,
    description: 'One of them holds, decided event by event; counts as one filter',
  })
  @AnyOf(() => FilterDto)
  any: FilterDto[];
}

/** The classes that filters of a list are validated by: those with a field, and those that hold several. */
export interface FilterClasses {
  readonly one: Type<FilterDto>;
  readonly any: Type<AnyFilterDto>;
}

const EVERY_FIELD: FilterClasses = { one: FilterDto, any: AnyFilterDto };

interface FilterListOptions {
  readonly max: number;
  readonly description?: string;
  /** Null means the same as leaving it out. */
  readonly nullable?: boolean;
  /** By the object that holds the list, as it was sent. */
  readonly classesFor?: (holder: object) => FilterClasses;
}

/** A list of filters, which may be left out. A class with it names `FilterDto` and `AnyFilterDto` in `ApiExtraModels`. */
export const FilterList = ({
  max,
  description,
  nullable = false,
  classesFor = () => EVERY_FIELD,
}: FilterListOptions) => {
  const documented: ApiPropertyOptions = {
    type: 'array',
    required: false,
    maxItems: max,
    items: { oneOf: [FilterDto, AnyFilterDto].map((each) => ({ $ref: getSchemaPath(each) })) },
    ...(nullable && { nullable }),
    ...(description !== undefined && { description }),
  };
  return applyDecorators(
    ApiProperty(documented),
    ValidateIf((_: unknown, value: unknown) => value !== undefined && !(nullable && value === null)),
    ArrayMaxSize(max),
    NestedList(() => FilterDto, NO_FILTER, {
      classHeld: (filter, holder) => classesFor(holder)['any' in filter ? 'any' : 'one'],
    }),
  );
};
