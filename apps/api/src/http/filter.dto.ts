import { FILTER_OPS, PROPERTY, type FilterOp } from '@ledgerline/contracts/definitions';
import { MAX_NAME } from '@ledgerline/contracts/intake-limits';
import { normalText } from '@ledgerline/domain/normal-forms';
import { isDecimal, isNumberOp } from '@ledgerline/domain/query/filters';
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, getSchemaPath, type ApiPropertyOptions } from '@nestjs/swagger';
import { plainToInstance, Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsIn,
  IsString,
  Length,
  MaxLength,
  ValidateBy,
  ValidateIf,
  type ValidationArguments,
} from 'class-validator';
import { NestedList, isPlain } from './validation';

/** Of the name of a field, in characters. */
export const MAX_FIELD = PROPERTY.length + MAX_NAME;
const MAX_TEXT = 2048;
const MAX_VALUES = 100;
const MAX_ANY = 20;
const NO_FILTER = 'each filter must be an object with field, op and value';

const isText = (value: unknown): boolean => typeof value === 'string' && value.length <= MAX_TEXT;

/** What the value of a filter must be, by its op; undefined for one that is. */
function wrongInValue(value: unknown, filter: object): string | undefined {
  const op: unknown = 'op' in filter ? filter.op : undefined;
  if (op === 'in' || op === 'not_in') {
    const isList = Array.isArray(value) && value.length > 0 && value.length <= MAX_VALUES && value.every(isText);
    return isList ? undefined : `must be a list of 1 to ${MAX_VALUES} texts for the ops in and not_in`;
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

/** With texts in Unicode NFC, as names of properties are recorded. */
export const Composed = () => Transform(({ value }: { value: unknown }) => composed(value));

function composed(value: unknown): unknown {
  if (typeof value === 'string') return normalText(value);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, composed(each)]));
}

/** The name of a property. */
export const Property = (description: string, example: string, required = true) =>
  applyDecorators(
    ApiProperty({ minLength: 1, maxLength: MAX_NAME, description, example, required }),
    Composed(),
    IsString(),
    Length(1, MAX_NAME),
  );

export class FilterDto {
  @ApiProperty()
  @Composed()
  @IsString()
  @MaxLength(MAX_FIELD)
  field: string;

  @ApiProperty({ enum: FILTER_OPS })
  @IsIn(FILTER_OPS)
  op: FilterOp;

  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] })
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
    NestedList(() => FilterDto, NO_FILTER),
    Transform(({ obj, key }: { obj: Readonly<Record<string, unknown>>; key: string }) =>
      filtersAs(classesFor(obj), obj[key]),
    ),
  );
};

function filtersAs({ one, any }: FilterClasses, list: unknown): unknown {
  const asClass = (filter: object) => ('any' in filter ? plainToInstance(any, filter) : plainToInstance(one, filter));
  return Array.isArray(list) ? list.map((each: unknown) => (isPlain(each) ? asClass(each) : each)) : list;
}
