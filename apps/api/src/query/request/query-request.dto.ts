import { applyDecorators } from '@nestjs/common';
import type { Type } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  IntersectionType,
  type ApiPropertyOptions,
} from '@nestjs/swagger';
import { plainToInstance } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Max,
  MaxLength,
  Min,
  ValidateIf,
} from 'class-validator';
import type { Filter } from '@ledgerline/contracts/definitions';
import { MAX_LISTED, Problem } from '@ledgerline/contracts/errors/error-codes';
import { GRANULARITIES, type Granularity } from '@ledgerline/domain/query/buckets';
import { COMPARISONS, type Comparison } from '@ledgerline/domain/query/comparison';
import { PRESETS } from '@ledgerline/domain/query/date-range';
import { ObjectsLeft } from '../../http/bounded';
import { AnyFilterDto, FilterDto, FilterList } from '../../http/filter.dto';
import { fieldRule, NestedList } from '../../http/nested';
import { validated } from '../../http/validation';
import type { OptionName } from '../declaration/options';
import { QUERY_ABOUT, type QueryAbout } from '../declaration/query-type';
import { SegmentDefinitionDto } from '../goals/definition.dto';
import { Definition, DEFINITIONS, ParameterOptionsDto, type IdOr } from './parameter-options.dto';

export const MAX_PARAMETERS = 20;
export const MAX_REQUESTS = 20;
export const MAX_TARGETS = 100;
const MAX_LIMIT = 10_000;
export const DEFAULT_LIMIT = 100;
const MAX_FILTERS = 50;
const MAX_SAMPLES = 1_000_000;
const MAX_MINUTES = 60;
/** The greatest number of rows of all pages up to the one that is asked for. */
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
      type: 'integer',
      minimum: 1,
      maximum: MAX_MINUTES,
      description:
        'Of types about the last minutes: so many minutes of the clock, the present one included, instead of those that a ' +
        'type is about by default. Other types fail their entry',
    },
    ...WHOLE,
    Max(MAX_MINUTES),
  )
  minutes?: number;

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

@ApiExtraModels(...DEFINITIONS)
export class ParameterDto extends IntersectionType(Overridable, ParameterOptionsDto) {
  @ApiProperty({ allOf: [QUERY_TYPE_NAME] })
  @IsString()
  @MaxLength(100)
  name: string;
}

/** The body of `POST /v1/query`. */
@ApiExtraModels(FilterDto, AnyFilterDto, SegmentDefinitionDto)
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
  @NestedList(() => ParameterDto, 'each parameter must be a name or an object with a name', {
    fromText: (name) => plainToInstance(ParameterDto, { name }),
  })
  parameters: ParameterDto[];

  @Optional(
    { type: 'integer', default: 1, minimum: 1, description: `page times limit may be at most ${MAX_ROWS}` },
    ...WHOLE,
    Max(MAX_ROWS),
  )
  page?: number;

  @FilterList({ max: MAX_FILTERS })
  filters?: Filter[];

  @Definition(SegmentDefinitionDto, 'The id of a segment, or its definition: only its sessions count')
  segment?: IdOr<SegmentDefinitionDto>;

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
    fieldRule<{ readonly sortBy?: string }>('hasSortBy', (_, { sortBy }) =>
      sortBy === undefined ? 'needs sortBy' : undefined,
    ),
  )
  sortOrder?: 'asc' | 'desc';

  @Optional({ description: 'IANA name; the one in the query string overrides it' }, IsString(), MaxLength(100))
  timezone?: string;

  @Optional(
    {
      description:
        'The name of a snapshot that the operator keeps: figures of its moment, which presets are counted from, too',
      example: 'last-tuesday',
    },
    IsString(),
    MaxLength(100),
  )
  snapshot?: string;
}

/** A request, without the definitions of parameters that have a wrong one; those fail alone, by their places. */
export interface ParsedRequest<Dto extends QueryRequestDto = QueryRequestDto> {
  readonly dto: Dto;
  readonly wrongDefinitions: ReadonlyMap<number, Problem>;
}

/** @throws Problem VALIDATION_ERROR for a body that is no request, with all that is wrong in it */
export function parseRequest<Dto extends QueryRequestDto>(
  type: Type<Dto>,
  sent: unknown,
  left = new ObjectsLeft(),
): ParsedRequest<Dto> {
  const omitsNull = true;
  try {
    return { dto: validated(type, sent, { left, omitsNull }), wrongDefinitions: new Map() };
  } catch (error) {
    const wrongDefinitions = error instanceof Problem ? definitionErrors(error) : undefined;
    if (!wrongDefinitions) throw error;
    const { parameters } = sent as { readonly parameters: readonly object[] }; // some of which have definitions
    const others = parameters.map((each, at) => (wrongDefinitions.has(at) ? withoutDefinitions(each) : each));
    const rest = { ...(sent as object), parameters: others };
    return { dto: validated(type, rest, { omitsNull }), wrongDefinitions };
  }
}

const DEFINING: readonly string[] = ['goals', 'goal', 'funnel', 'first', 'again', 'from', 'to'] satisfies OptionName[];
const IN_DEFINITION = new RegExp(`^parameters\\[(\\d+)\\]\\.((?:${DEFINING.join('|')})\\b.*)`, 's');

const withoutDefinitions = (parameter: object): object =>
  Object.fromEntries(Object.entries(parameter).filter(([name]) => !DEFINING.includes(name)));

/** By the place of the parameter; undefined when something else is wrong, or may be, too. */
function definitionErrors({ details = [], count }: Problem): ReadonlyMap<number, Problem> | undefined {
  if (count > MAX_LISTED) return undefined;
  const found = new Map<number, Problem>();
  for (const detail of details) {
    const [, place, field = ''] = IN_DEFINITION.exec(detail.field) ?? [];
    if (place === undefined) return undefined;
    const before = found.get(Number(place));
    const message = [...(before ? [before.message] : []), `${field}: ${detail.message}`].join(' ');
    found.set(Number(place), new Problem('VALIDATION_ERROR', message, [...(before?.details ?? []), detail]));
  }
  return found;
}

/** The body of `POST /v1/query/overview`: a request, and what it is asked of. */
export class OverviewRequestDto extends QueryRequestDto {
  @ApiProperty({ enum: QUERY_ABOUT, description: 'What the ids are of' })
  @IsIn(QUERY_ABOUT)
  about: QueryAbout;

  @ApiPropertyOptional({
    type: [String],
    minItems: 1,
    maxItems: MAX_TARGETS,
    example: ['site_01KAJ4Q7ZJ8M3V5T9X2C6D0B1E'],
  })
  @ValidateIf(({ about, tagId }: Partial<OverviewRequestDto>) => about !== 'link' || tagId === undefined)
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_TARGETS)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, 64, { each: true })
  ids?: string[];

  @Optional(
    { description: `In place of ids of links: all links with this tag, by name, ${MAX_TARGETS} at most` },
    IsString(),
    Length(1, 64),
  )
  tagId?: string;
}
