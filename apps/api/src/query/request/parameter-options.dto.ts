import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { plainToInstance } from 'class-transformer';
import { ArrayMaxSize, IsIn, IsInt, IsOptional, IsString, Length, Max, MaxLength, Min } from 'class-validator';
import {
  RETENTION_PERIODS,
  type RetentionPeriod,
  SHARE_MODELS,
  type ShareModel,
} from '@ledgerline/aggregation/aggregation';
import { PROPERTY } from '@ledgerline/contracts/definitions';
import { MAX_NAME } from '@ledgerline/contracts/intake-limits';
import { Composed, Property } from '../../http/filter.dto';
import { NestedList, NestedObject } from '../../http/nested';
import type { OptionName } from '../declaration/options';
import {
  AdHocFunnelDto,
  AdHocGoalDto,
  ConditionDto,
  CurrencyOfAmounts,
  CurrencyPropertyDto,
  WindowField,
  type Currency,
} from '../goals/definition.dto';

const MAX_ID = 64;
export const MAX_GOALS = 20;
const MAX_STEPS = 32;
const MAX_PERIODS = 52;
const MAX_JOURNEY = 5;
const MAX_BRANCHES = 20;
const MAX_WINDOW_DAYS = 90;

/** A goal, funnel or segment by its id. */
export class DefinitionIdDto {
  @ApiProperty()
  @IsString()
  @Length(1, MAX_ID)
  id: string;
}

export type IdOr<Definition> = DefinitionIdDto | Definition;

const schemaOf = (definition: Type) => ({ oneOf: [{ type: 'string' }, { $ref: getSchemaPath(definition) }] });

const withId = (id: string) => plainToInstance(DefinitionIdDto, { id });

/** An id, or the definition itself. */
export const Definition = (definition: Type<object>, description: string) =>
  applyDecorators(
    ApiPropertyOptional({ ...schemaOf(definition), description }),
    IsOptional(),
    NestedObject(() => definition, { fromText: withId }),
  );

/** `visit` is what a question is about without a condition. */
const VisitOrCondition = (description: string) =>
  applyDecorators(
    ApiPropertyOptional({
      oneOf: [{ type: 'string', enum: ['visit'] }, { $ref: getSchemaPath(ConditionDto) }],
      default: 'visit',
      description,
    }),
    IsOptional(),
    NestedObject(() => ConditionDto, { fromText: (text) => (text === 'visit' ? undefined : text) }),
  );

const EventCondition = (description: string) =>
  applyDecorators(
    ApiPropertyOptional({ type: ConditionDto, description }),
    IsOptional(),
    NestedObject(() => ConditionDto),
  );

const Whole = (min: number, max: number, description: string) =>
  applyDecorators(
    ApiPropertyOptional({ type: 'integer', minimum: min, maximum: max, description }),
    IsOptional(),
    IsInt(),
    Min(min),
    Max(max),
  );

const OneOf = (values: readonly string[], byDefault: string, description: string) =>
  applyDecorators(ApiPropertyOptional({ enum: values, default: byDefault, description }), IsOptional(), IsIn(values));

/** The classes that they refer to. */
export const DEFINITIONS = [AdHocGoalDto, AdHocFunnelDto, ConditionDto, CurrencyPropertyDto] as const;

/**
 * The options that parameters of types about goals, funnels and retention have beside their range; other types fail
 * their entry.
 */
export class ParameterOptionsDto {
  @ApiPropertyOptional({
    type: 'array',
    maxItems: MAX_GOALS,
    items: schemaOf(AdHocGoalDto),
    description:
      'Ids of goals, or definitions; without it all goals of the website, in the order of their creation, of series the ' +
      `first ${MAX_GOALS}`,
  })
  @IsOptional()
  @ArrayMaxSize(MAX_GOALS)
  @NestedList(() => AdHocGoalDto, 'each goal must be an id or a definition', { fromText: withId })
  goals?: IdOr<AdHocGoalDto>[];

  @Definition(AdHocGoalDto, 'The id of a goal, or its definition')
  goal?: IdOr<AdHocGoalDto>;

  @Definition(AdHocFunnelDto, 'The id of a funnel, or its definition')
  funnel?: IdOr<AdHocFunnelDto>;

  @ApiPropertyOptional({
    maxLength: PROPERTY.length + MAX_NAME,
    description:
      'What rows are about: an attribute of sessions, `entry_page`, `path` or `property:KEY`; of journeys `page` or `event`',
    example: 'country',
  })
  @IsOptional()
  @Composed()
  @IsString()
  @MaxLength(PROPERTY.length + MAX_NAME)
  by?: string;

  @Whole(1, MAX_STEPS, 'Of a funnel, from 1')
  step?: number;

  @OneOf(['reached', 'dropped'], 'reached', 'Who reached the step at least, or it and not the next one')
  state?: 'reached' | 'dropped';

  @VisitOrCondition(
    'What visitors begin with: `visit` = their first page view ever, or a condition = their first event in the range',
  )
  first?: ConditionDto;

  @VisitOrCondition('What they come back for: `visit` = any page view, or a condition')
  again?: ConditionDto;

  @OneOf(RETENTION_PERIODS, 'week', 'Of the time zone of the website; weeks begin on Monday')
  period?: RetentionPeriod;

  @Whole(1, MAX_PERIODS, 'How many, the first one included; 8 by default')
  periods?: number;

  @OneOf(['on', 'from'], 'on', 'Who came back in that very period, or in it or later')
  mode?: 'on' | 'from';

  @EventCondition('Where journeys begin: the first such event of a session; this or `to`')
  from?: ConditionDto;

  @EventCondition('Where journeys lead to, which are followed backwards from there; this or `from`')
  to?: ConditionDto;

  @Whole(1, MAX_JOURNEY, 'How far journeys are followed; 3 by default')
  steps?: number;

  @Whole(1, MAX_BRANCHES, 'How many branches each step has, beside `Other`; 5 by default')
  branches?: number;

  @OneOf(
    SHARE_MODELS,
    'last',
    'Which clicks share a conversion: the first, the last, all alike, or both ends 40 % each',
  )
  model?: ShareModel;

  @WindowField(
    `How long before a conversion clicks share it, ${MAX_WINDOW_DAYS} days at most; \`30d\` by default, \`1d\` with daily ids`,
    MAX_WINDOW_DAYS,
  )
  window?: string;

  @IsOptional()
  @Property('The property of custom events with amounts', 'total', false)
  property?: string;

  @CurrencyOfAmounts()
  currency?: Currency;
}

export const OPTION_NAMES: readonly OptionName[] = [
  ...(['goals', 'goal', 'funnel', 'by', 'step', 'state', 'first', 'again', 'period', 'periods', 'mode'] as const),
  ...(['from', 'to', 'steps', 'branches', 'model', 'window'] as const),
  ...(['property', 'currency'] as const),
];
