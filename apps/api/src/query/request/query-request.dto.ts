import { FILTER_OPS, type FilterOp } from '@ledgerline/domain/query/filters';
import { COMPARISONS, type Comparison } from '@ledgerline/domain/query/comparison';
import { GRANULARITIES, type Granularity } from '@ledgerline/domain/query/buckets';
import { PRESETS } from '@ledgerline/domain/query/presets';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { plainToInstance, Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  registerDecorator,
  ValidateBy,
  type ValidationArguments,
} from 'class-validator';
import { isPlain, NestedList } from '../../http/nested';

export const MAX_PARAMETERS = 20;
export const MAX_REQUESTS = 20;
const MAX_LIMIT = 10_000;
export const DEFAULT_LIMIT = 100;
const MAX_FILTERS = 50;
const MAX_SAMPLES = 1_000_000;
/** Of all pages up to the one that is asked for. */
export const MAX_ROWS = 100_000;

const WHOLE = [IsInt(), Min(1)];

/** Described with the rows of all types. */
const QUERY_TYPE_NAME = { $ref: '#/components/schemas/QueryTypeName' };

/** A field that may be left out. */
const Optional = (api: ApiPropertyOptions, ...rules: PropertyDecorator[]): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional(api), IsOptional(), ...rules);

/** Fields of a request and of each of its parameters. */
class Overridable {
  @Optional({ description: 'YYYY-MM-DD, inclusive' }, IsString())
  startDate?: string;

  @Optional({ description: 'YYYY-MM-DD, inclusive' }, IsString())
  endDate?: string;

  @Optional({ enum: PRESETS, description: 'Overrides startDate and endDate' }, IsString())
  preset?: string;

  @Optional({ enum: GRANULARITIES, default: 'daily' }, IsIn(GRANULARITIES))
  granularity?: Granularity;

  @Optional(
    {
      type: 'integer',
      default: DEFAULT_LIMIT,
      minimum: 1,
      maximum: MAX_LIMIT,
      description: `page times limit may be at most ${MAX_ROWS}`,
    },
    ...WHOLE,
    Max(MAX_LIMIT),
  )
  limit?: number;

  @Optional(
    {
      type: 'integer',
      minimum: 1,
      maximum: MAX_SAMPLES,
      description:
        'Leaves out rows with fewer samples, page views or form starts than this (the description of a type says of what, and ' +
        'the default); meta.hidden says how many. Types without a minimum fail their entry',
    },
    ...WHOLE,
    Max(MAX_SAMPLES),
  )
  minSamples?: number;

  @Optional(
    {
      enum: COMPARISONS,
      description: 'Adds the figures of the range before, or of the same dates a year earlier, to each row',
    },
    IsIn(COMPARISONS),
  )
  compare?: Comparison;

  @Optional({ description: "The caller's own label, returned in the answer" }, IsString(), MaxLength(200))
  id?: string;
}

export class ParameterDto extends Overridable {
  @ApiProperty({ allOf: [QUERY_TYPE_NAME] })
  @IsString()
  @MaxLength(100)
  name: string;
}

const MAX_TEXT = 2048;
const MAX_VALUES = 100;

const isText = (value: unknown): boolean => typeof value === 'string' && value.length <= MAX_TEXT;

/** A text, or for the ops `in` and `not_in` a list of texts. */
function IsFilterValue(): PropertyDecorator {
  return (target, property) => {
    registerDecorator({
      name: 'isFilterValue',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate: (value: unknown, { object }: ValidationArguments = NOWHERE) =>
          wantsList(object)
            ? Array.isArray(value) && value.length > 0 && value.length <= MAX_VALUES && value.every(isText)
            : isText(value),
        defaultMessage: ({ object }: ValidationArguments = NOWHERE) =>
          wantsList(object)
            ? `value must be a list of 1 to ${MAX_VALUES} texts for the ops in and not_in`
            : `value must be a text of at most ${MAX_TEXT} characters`,
      },
    });
  };
}

const NOWHERE: ValidationArguments = { value: undefined, constraints: [], targetName: '', object: {}, property: '' };

const wantsList = (filter: object): boolean => 'op' in filter && (filter.op === 'in' || filter.op === 'not_in');

export class FilterDto {
  @ApiProperty()
  @IsString()
  @MaxLength(100)
  field: string;

  @ApiProperty({ enum: FILTER_OPS })
  @IsIn(FILTER_OPS)
  op: FilterOp;

  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] })
  @IsFilterValue()
  value: string | string[];
}

function hasSortBy(_: unknown, validation?: { object: object }): boolean {
  return (validation?.object as QueryRequestDto).sortBy !== undefined;
}

const parameterOf = (value: unknown): unknown =>
  typeof value === 'string' ? plainToInstance(ParameterDto, { name: value }) : value;

/** The body of `POST /v1/query`. */
export class QueryRequestDto extends Overridable {
  @ApiProperty({
    description: 'Names of query types, or objects that override the request for one of them',
    type: 'array',
    minItems: 1,
    maxItems: MAX_PARAMETERS,
    items: { oneOf: [QUERY_TYPE_NAME, { $ref: '#/components/schemas/ParameterDto' }] },
  })
  @ArrayMinSize(1, { message: 'parameters must name at least one query type' })
  @ArrayMaxSize(MAX_PARAMETERS, { message: `parameters may name at most ${MAX_PARAMETERS} query types` })
  @NestedList(() => ParameterDto, 'each parameter must be a name or an object with a name')
  @Transform(({ obj }: { obj: { parameters?: unknown } }) =>
    Array.isArray(obj.parameters)
      ? obj.parameters.map((value) => parameterOf(isPlain(value) ? plainToInstance(ParameterDto, value) : value))
      : obj.parameters,
  )
  parameters: ParameterDto[];

  @Optional(
    { type: 'integer', default: 1, minimum: 1, description: `page times limit may be at most ${MAX_ROWS}` },
    ...WHOLE,
    Max(MAX_ROWS),
  )
  page?: number;

  @ApiPropertyOptional({ type: [FilterDto] })
  @IsOptional()
  @ArrayMaxSize(MAX_FILTERS)
  @NestedList(() => FilterDto, 'each filter must be an object with field, op and value')
  filters?: FilterDto[];

  @Optional(
    {
      description:
        'A field of the rows, or with compare change_percent: by the change of the first count. Types of a single row ' +
        'ignore it if another type of the request has it',
    },
    IsString(),
    MaxLength(100),
  )
  sortBy?: string;

  @Optional(
    { enum: ['asc', 'desc'], default: 'desc', description: 'Only together with sortBy' },
    IsIn(['asc', 'desc'], { message: 'sortOrder must be asc or desc' }),
    ValidateBy({ name: 'hasSortBy', validator: { validate: hasSortBy } }, { message: 'sortOrder needs sortBy' }),
  )
  sortOrder?: 'asc' | 'desc';

  @Optional({ description: 'IANA name; the one in the query string overrides it' }, IsString(), MaxLength(100))
  timezone?: string;
}
