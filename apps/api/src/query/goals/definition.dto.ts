import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsBoolean, IsIn, IsOptional, ValidateBy } from 'class-validator';
import {
  MAX_DEFINITION_NAME,
  type ConditionDefinition,
  type ConditionKind,
  type Filter,
  type FunnelDefinition,
  type GoalDefinition,
  type SegmentDefinition,
} from '@ledgerline/contracts/definitions';
import { MAX_NAME } from '@ledgerline/contracts/intake-limits';
import {
  CONDITION_KINDS,
  fieldsOfKind,
  isConditionField,
  isConditionKind,
  MAX_WINDOW_DAYS,
  SEGMENT_FIELDS,
  windowMs,
} from '@ledgerline/domain/goals/definition-rules';
import { ChoiceField, stringRule, isShort, Text } from '../../http/fields';
import {
  AnyFilterDto,
  Composed,
  FilterDto,
  filterClasses,
  FilterList,
  Property,
  type FilterClasses,
} from '../../http/filter.dto';
import { AsSent, fieldRule, MayBeAbsent, NestedList, NestedObject, isPlain } from '../../http/nested';

const MAX_FILTERS = 20;
const MAX_DID = 10;
const STEPS = { min: 2, max: 32 } as const;

// an event of a change holds a definition twice, before and after, in its 64 KiB
const MAX_BYTES = 20_000;
const MAX_LIST_BYTES = 10_000;

const CLASSES: ReadonlyMap<unknown, FilterClasses> = new Map(
  CONDITION_KINDS.map((kind) => [kind, filterClasses((field) => isConditionField(kind, field), fieldsOfKind(kind))]),
);

const OF_SEGMENTS = filterClasses((field) => SEGMENT_FIELDS.includes(field), SEGMENT_FIELDS);
const OF_NO_KIND = filterClasses(() => true, []);

const FIELDS_BY_KIND = CONDITION_KINDS.map(
  (kind) =>
    `\`${kind}\`: ${fieldsOfKind(kind)
      .map((field) => `\`${field}\``)
      .join(', ')}`,
).join(' · ');

/** A condition of what an event must be. */
@ApiExtraModels(FilterDto, AnyFilterDto)
export class ConditionDto implements ConditionDefinition {
  @ApiProperty({ enum: CONDITION_KINDS, description: 'The kind of its events', example: 'page' })
  @IsIn(CONDITION_KINDS)
  kind: ConditionKind;

  @FilterList({
    max: MAX_FILTERS,
    description: `All must hold; none = every event of that kind. Fields of ${FIELDS_BY_KIND}`,
    classesFor: ({ kind }: { kind?: unknown }) => CLASSES.get(kind) ?? OF_NO_KIND,
  })
  filters?: Filter[];
}

export class CurrencyPropertyDto {
  @Property('The property that names the currency', 'currency')
  property: string;
}

export type Currency = NonNullable<NonNullable<GoalDefinition['value']>['currency']>;

const isCurrency = (value: unknown): boolean =>
  typeof value === 'string'
    ? /^[A-Z]{3}$/.test(value)
    : isPlain(value) &&
      Object.keys(value).join() === 'property' &&
      'property' in value &&
      typeof value.property === 'string' &&
      value.property.length > 0 &&
      value.property.length <= MAX_NAME;

/** The currency of amounts. A class with it names `CurrencyPropertyDto` in `ApiExtraModels`. */
export const CurrencyOfAmounts = () =>
  applyDecorators(
    ApiPropertyOptional({
      oneOf: [{ type: 'string', pattern: '^[A-Z]{3}$' }, { $ref: '#/components/schemas/CurrencyPropertyDto' }],
      description: 'The currency of all amounts, or the property that names it; none = amounts without a currency',
      example: 'EUR',
    }),
    Composed(), // TRICKY: the first transformation is the last one to be made
    AsSent(),
    MayBeAbsent(),
    ValidateBy({
      name: 'isCurrency',
      validator: {
        validate: isCurrency,
        defaultMessage: () => 'currency must be three capital letters such as EUR, or an object with a property',
      },
    }),
  );

@ApiExtraModels(CurrencyPropertyDto)
class GoalValueDto {
  @Property('The property of the event with the amount', 'total')
  property: string;

  @CurrencyOfAmounts()
  currency?: Currency;
}

const HasEvents = () =>
  fieldRule<Partial<GoalDefinitionDto>>('hasEvents', (value, { condition }) => {
    const kind: unknown = condition?.kind;
    const isOfOthers = value != null && isConditionKind(kind) && kind !== 'event';
    return isOfOthers ? 'belongs to a condition of the kind event, as only custom events have properties' : undefined;
  });

export class GoalDefinitionDto implements GoalDefinition {
  @ApiProperty({ type: ConditionDto, description: 'An event that meets it is a conversion' })
  @NestedObject(() => ConditionDto)
  @isShort(MAX_BYTES)
  condition: ConditionDto;

  @ApiPropertyOptional({
    type: GoalValueDto,
    nullable: true,
    description: 'Of custom events alone: what each is worth',
  })
  @IsOptional()
  @NestedObject(() => GoalValueDto)
  @HasEvents()
  value?: GoalValueDto | null;
}

const Name = (description: string, example: string) =>
  Text(1, MAX_DEFINITION_NAME, { description, example, optional: true });

class FunnelStepDto {
  @Name('Display name; by default `Step 1` and so on', 'Cart')
  name?: string;

  @ApiProperty({ type: ConditionDto })
  @NestedObject(() => ConditionDto)
  condition: ConditionDto;
}

/** A whole number of minutes, hours or days. */
export const WindowField = (description: string, maxDays = MAX_WINDOW_DAYS) =>
  applyDecorators(
    ApiPropertyOptional({ type: String, nullable: true, pattern: '^[1-9][0-9]*[mhd]$', description, example: '7d' }),
    IsOptional(),
    stringRule(
      'isWindow',
      (text) => windowMs(text, maxDays) !== undefined,
      `must be a number of minutes, hours or days such as 30m, 12h or 7d, from 1m to ${maxDays}d`,
    ),
  );

const FUNNEL_ORDERS = ['ordered', 'strict'] as const;
const FUNNEL_UNITS = ['visitor', 'session'] as const;

export class FunnelDefinitionDto implements FunnelDefinition {
  @ApiProperty({
    type: [FunnelStepDto],
    minItems: STEPS.min,
    maxItems: STEPS.max,
    example: [
      { name: 'Cart', condition: { kind: 'page', filters: [{ field: 'path', op: 'eq', value: '/cart' }] } },
      { name: 'Order', condition: { kind: 'event', filters: [{ field: 'name', op: 'eq', value: 'order' }] } },
    ],
  })
  @ArrayMinSize(STEPS.min)
  @ArrayMaxSize(STEPS.max)
  @NestedList(() => FunnelStepDto, 'each step must be an object with a condition')
  @isShort(MAX_BYTES)
  steps: FunnelStepDto[];

  @WindowField(
    'How long an attempt may take: a whole number of minutes, hours or days; null = `7d`, or `1d` where ids of ' +
      'visitors are those of a day',
  )
  window?: string | null;

  @ChoiceField(FUNNEL_ORDERS, 'ordered', 'strict = the very next event must meet the next step')
  order?: (typeof FUNNEL_ORDERS)[number];

  @ChoiceField(FUNNEL_UNITS, 'visitor', 'Whose events are followed')
  per?: (typeof FUNNEL_UNITS)[number];
}

class DidDto {
  @ApiProperty({ type: ConditionDto })
  @NestedObject(() => ConditionDto)
  condition: ConditionDto;

  @ApiProperty({
    enum: ['session', 'range'],
    description: 'Where the event must be: in the session, or among those of its visitor in the range of the query',
  })
  @IsIn(['session', 'range'])
  within: 'session' | 'range';

  @ApiPropertyOptional({ type: Boolean, default: false, description: 'No event meets the condition' })
  @MayBeAbsent()
  @IsBoolean()
  not?: boolean;
}

/** Both lists are empty by default; one of them is not. */
@ApiExtraModels(FilterDto, AnyFilterDto)
export class SegmentDefinitionDto implements Partial<SegmentDefinition> {
  @FilterList({
    max: MAX_FILTERS,
    description: 'As in a query',
    example: [{ field: 'device_type', op: 'eq', value: 'mobile' }],
    nullable: true,
    classesFor: () => OF_SEGMENTS,
  })
  @isShort(MAX_LIST_BYTES)
  filters?: Filter[];

  @ApiPropertyOptional({
    type: [DidDto],
    nullable: true,
    maxItems: MAX_DID,
    description: 'What its visitors did, or did not',
  })
  @IsOptional()
  @ArrayMaxSize(MAX_DID)
  @NestedList(() => DidDto, 'each entry must be an object with condition and within')
  @isShort(MAX_LIST_BYTES)
  did?: DidDto[];
}

/** A goal or funnel that a question defines itself may have a name for its rows. */
const WithName = () => Name('Of its rows', 'Signups');

export class AdHocGoalDto extends GoalDefinitionDto {
  @WithName()
  name?: string;
}

export class AdHocFunnelDto extends FunnelDefinitionDto {
  @WithName()
  name?: string;
}
