import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsNumber,
  IsOptional,
  Length,
  Matches,
  Max,
  Min,
} from 'class-validator';
import {
  ROLLOUT_UNITS,
  RULE_OPERATORS,
  type RolloutUnit,
  type RuleOperator,
} from '@ledgerline/contracts/events/flag.events';
import { isAttribute, wantedValues } from '@ledgerline/domain/flags/flag-rules';
import { stringRule, isShort } from '../http/fields';
import { AsSent, fieldRule, NestedList, NestedObject } from '../http/nested';
import { ANY_JSON, anyJson } from '../http/record.dto';

const MAX_VALUES = 500;
const MAX_CONDITIONS = 10;

export class FlagRolloutDto {
  @ApiProperty({ minimum: 0, maximum: 100, example: 20 })
  @IsNumber()
  @Min(0)
  @Max(100)
  percentage: number;

  @ApiProperty({ enum: ROLLOUT_UNITS, description: 'Whose share it is', example: 'user' })
  @IsIn(ROLLOUT_UNITS)
  by: RolloutUnit;
}

const FitOperator = () =>
  fieldRule<FlagConditionDto>('fitOperator', (values, { operator }) => {
    if (!Array.isArray(values) || !RULE_OPERATORS.includes(operator)) return undefined;
    const texts = values.filter((value) => typeof value === 'string');
    const wanted = wantedValues(operator, texts);
    return wanted && `must hold ${wanted}`;
  });

class FlagConditionDto {
  @ApiProperty({
    description: '`userId`, `email`, `organizationId`, `teamId` or `properties.<name>`',
    example: 'email',
  })
  @stringRule('isAttribute', isAttribute, 'must be userId, email, organizationId, teamId or properties.<name>')
  attribute: string;

  @ApiProperty({ enum: RULE_OPERATORS, example: 'ends_with' })
  @IsIn(RULE_OPERATORS)
  operator: RuleOperator;

  @ApiProperty({
    type: [String],
    maxItems: MAX_VALUES,
    description: 'One of them has to match; none for `exists`, one number, time or version for comparisons',
    example: ['@example.com'],
  })
  @IsArray()
  @ArrayMaxSize(MAX_VALUES)
  @Length(1, 255, { each: true })
  @Matches(/^\P{Cc}*$/u, { each: true, message: 'must not hold control characters' })
  @FitOperator()
  values: string[];
}

export class FlagRuleDto extends FlagConditionDto {
  @ApiPropertyOptional({
    type: [FlagConditionDto],
    nullable: true,
    maxItems: MAX_CONDITIONS,
    description: 'Further conditions, which have to hold, too',
  })
  @IsOptional()
  @ArrayMaxSize(MAX_CONDITIONS)
  @NestedList(() => FlagConditionDto, 'each condition must be an object')
  and?: FlagConditionDto[] | null;

  @ApiPropertyOptional({
    type: FlagRolloutDto,
    nullable: true,
    description: 'For which share of them the rule holds; null = for all',
  })
  @IsOptional()
  @NestedObject(() => FlagRolloutDto)
  rollout?: FlagRolloutDto | null;

  @ApiProperty({ description: 'What the flag is for those who match', example: true })
  @IsBoolean()
  enabled: boolean;
}

interface JsonFieldOptions {
  readonly description: string;
  readonly example?: unknown;
  readonly nullable?: boolean;
  readonly required?: boolean;
}

/** The documentation of a field that holds JSON of any kind. */
export const ApiJson = ({ description, example, nullable = false, required = true }: JsonFieldOptions) =>
  ApiProperty({
    description,
    required,
    anyOf: nullable ? anyJson.anyOf : ANY_JSON,
    ...(example === undefined ? {} : { example }),
  });

/** Any JSON that is not too long; null and what is absent may be, where the field says so. */
export const AnyJsonField = (maxBytes: number, options: JsonFieldOptions) =>
  applyDecorators(ApiJson(options), AsSent(), isShort(maxBytes, options.required ?? true));
