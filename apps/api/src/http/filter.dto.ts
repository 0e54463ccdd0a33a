import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, getSchemaPath, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsIn, IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { isDecimal } from '@ledgerline/contracts/criterion';
import { FILTER_OPS, PROPERTY, type Filter, type FilterOp } from '@ledgerline/contracts/definitions';
import { MAX_NAME } from '@ledgerline/contracts/intake-limits';
import { takesNumbers, wrongInValue } from '@ledgerline/domain/goals/definition-rules';
import { normalText } from '@ledgerline/domain/normal-forms';
import { isNumberOp } from '@ledgerline/domain/query/filters';
import { stringRule } from './fields';
import { fieldRule, MaxEntries, MayBeAbsent, NestedList, isPlain } from './nested';

/** The greatest length of the name of a field, in characters. */
const MAX_FIELD = PROPERTY.length + MAX_NAME;
const MAX_TEXT = 2048;
const MAX_VALUES = 100;
const MAX_ANY = 20;
const NO_FILTER = 'each filter must be an object with field, op and value';

const NO_VALUES = `must be a list of 1 to ${MAX_VALUES} texts for the ops in and not_in`;

const isText = (value: unknown): boolean => typeof value === 'string' && value.length <= MAX_TEXT;

/** Returns what the value of a filter must be, by its op; undefined for one that is. */
function wrongForm(value: unknown, op: unknown): string | undefined {
  if (op === 'in' || op === 'not_in') {
    return Array.isArray(value) && value.length > 0 && value.every(isText) ? undefined : NO_VALUES;
  }
  if (!isText(value)) return `must be a text of at most ${MAX_TEXT} characters`;
  return isNumberOp(op) && !isDecimal(String(value))
    ? 'must be a number such as 19.99 for the ops gt, gte, lt and lte'
    : undefined;
}

const VALUE_RULE = 'isFilterValue';

/** A text, for some ops that of a number, or for the ops `in` and `not_in` a list of texts. */
const HasForm = () => fieldRule<FilterDto>(VALUE_RULE, (value, { op }) => wrongForm(value, op));

/** One that some event may have, too. */
const isPossible = fieldRule<FilterDto>(VALUE_RULE, (value, filter) => {
  const isWhole = typeof filter.field === 'string' && FILTER_OPS.includes(filter.op); // else that is what is wrong
  return wrongForm(value, filter.op) ?? (isWhole ? wrongInValue(filter) : undefined);
});

const FewValues = () => MaxEntries(MAX_VALUES, `value ${NO_VALUES}`);

const TEXT_OR_NUMBER = [{ type: 'string' }, { type: 'number' }];

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

  @ApiProperty({
    oneOf: [...TEXT_OR_NUMBER, { type: 'array', maxItems: MAX_VALUES, items: { oneOf: TEXT_OR_NUMBER } }],
    description: 'A number is taken of `property:KEY` and `metric_value`, and is its text',
  })
  @FewValues()
  @HasForm()
  value: string | string[];
}

/** The filters of `any`, of a class. */
const AnyOf = (filter: () => Type<FilterDto>) =>
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

const isComparable = fieldRule<{ readonly field?: unknown }>('isComparable', (op, { field }) =>
  isNumberOp(op) && !takesNumbers(String(field))
    ? 'must not be gt, gte, lt or lte, except for property:KEY and metric_value'
    : undefined,
);

/** Keeps numbers as the texts that they are compared as, where fields take numbers. */
const NumbersAsTexts = () =>
  Transform(({ value, obj }: { value: unknown; obj: { readonly field?: unknown } }) =>
    takesNumbers(String(obj.field)) ? textsOf(value) : value,
  );

const textsOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(textsOf);
  return typeof value === 'number' ? String(value) : value;
};

/** The classes of filters with these fields alone. */
export function filterClasses(isField: (field: string) => boolean, fields: readonly string[]): FilterClasses {
  class OneDto extends FilterDto {}
  class AnyDto extends AnyFilterDto {}
  // TRICKY: rules of a class replace those that it inherits for the same field
  const isOneOfThese = stringRule('isFieldOfFilter', isField, `must be one of ${fields.join(', ')}`);
  applyDecorators(IsString(), MaxLength(MAX_FIELD), isOneOfThese)(OneDto.prototype, 'field');
  applyDecorators(IsIn(FILTER_OPS), isComparable)(OneDto.prototype, 'op');
  applyDecorators(NumbersAsTexts(), FewValues(), isPossible)(OneDto.prototype, 'value');
  AnyOf(() => OneDto)(AnyDto.prototype, 'any');
  return { one: OneDto, any: AnyDto };
}

const EVERY_FIELD: FilterClasses = { one: FilterDto, any: AnyFilterDto };

interface FilterListOptions {
  readonly max: number;
  readonly description?: string;
  readonly example?: readonly Filter[];
  /** Null means the same as leaving it out. */
  readonly nullable?: boolean;
  /** By the object that holds the list, as it was sent. */
  readonly classesFor?: (holder: object) => FilterClasses;
}

/** A list of filters, which may be left out. A class with it names `FilterDto` and `AnyFilterDto` in `ApiExtraModels`. */
export const FilterList = ({
  max,
  description,
  example,
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
    ...(example && { example }),
  };
  return applyDecorators(
    ApiProperty(documented),
    nullable ? IsOptional() : MayBeAbsent(),
    ArrayMaxSize(max),
    NestedList(() => FilterDto, NO_FILTER, {
      classHeld: (filter, holder) => classesFor(holder)['any' in filter ? 'any' : 'one'],
    }),
  );
};
