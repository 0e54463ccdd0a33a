import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsNumber,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
} from 'class-validator';
import type { Filter } from '@ledgerline/contracts/definitions';
import {
  ALERT_COMPARISONS,
  ALERT_DIRECTIONS,
  ALERT_FIGURES,
  ALERT_PAUSES,
  ALERT_WINDOW_MINUTES,
  type AlertAuthor,
  type AlertComparison,
  type AlertDetails,
  type AlertDirection,
  type AlertFigure,
  type AlertPause,
  type AlertWindowMinutes,
} from '@ledgerline/contracts/events/alert.events';
import { plainAlert } from '@ledgerline/domain/alerts/alert.decider';
import { recordOfFields, updateDtoClass } from '../commands/resource';
import { Id, Text, WholeNumber, YesOrNo, isShort, stringRule } from '../http/fields';
import { AnyFilterDto, FilterDto, FilterList } from '../http/filter.dto';
import { NestedObject } from '../http/nested';
import { ListOfWebsiteDto } from '../query/goals/goal.dto';
import { DecidedDto } from './decision.dto';

const MAX_FILTERS = 20;
const MAX_FILTER_BYTES = 10_000;
const MAX_DESTINATIONS = 10;
const MAX_NUMBER = 1_000_000_000_000;
const MAX_PERCENT = 100_000;
const MAX_PAUSE_MINUTES = 10_080;
const MAX_GRACE_SECONDS = 21_600;

const maybe = { optional: true, nullable: true } as const;

const NumberField = (description: string, max: number, example?: number) =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'number',
      nullable: true,
      minimum: 0,
      maximum: max,
      description,
      ...(example !== undefined && { example }),
    }),
    IsOptional(),
    IsNumber({ allowNaN: false, allowInfinity: false }),
    Min(0),
    Max(max),
  );

const TimeOfDay = (description: string, example: string) =>
  applyDecorators(
    ApiProperty({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description, example }),
    stringRule('isTimeOfDay', (text) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text), 'must be a time such as 22:00'),
  );

export class AlertWindowDto {
  @ApiProperty({ enum: ALERT_WINDOW_MINUTES, description: 'Below 60 of counts of events alone', example: 60 })
  @IsIn(ALERT_WINDOW_MINUTES)
  minutes: AlertWindowMinutes;
}

export class QuietHoursDto {
  @TimeOfDay("When they begin, by the clock of the website's time zone, of a link UTC", '22:00')
  from: string;

  @TimeOfDay('When they end; of the next day where that is earlier', '07:00')
  to: string;
}

/** A new alert; null = the default. */
@ApiExtraModels(FilterDto, AnyFilterDto)
export class CreateAlertDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Text(1, 64, { description: 'The website it is about; fixed', ...maybe })
  websiteId?: string | null;

  @Text(1, 64, { description: 'The link it is about, in place of a website; fixed', ...maybe })
  linkId?: string | null;

  @Text(1, 100, { description: 'Display name, unique in its organization', example: 'Many visitors' })
  name: string;

  @ApiProperty({
    enum: Object.keys(ALERT_FIGURES),
    description:
      'clicks: of a link, and no other figure is · conversions: of a goal · lcp, fcp, cls, inp, ttfb: the 75th percentile · bounce_rate, session_duration: over whole days',
    example: 'visitors',
  })
  @IsIn(Object.keys(ALERT_FIGURES))
  figure: AlertFigure;

  @Text(1, 64, { description: 'The goal, of conversions', ...maybe })
  goalId?: string | null;

  @FilterList({
    max: MAX_FILTERS,
    description: 'As in a query',
    example: [{ field: 'device_type', op: 'eq', value: 'mobile' }],
    nullable: true,
  })
  @isShort(MAX_FILTER_BYTES)
  filters?: Filter[] | null;

  @Text(1, 64, { description: 'The id of a segment', ...maybe })
  segment?: string | null;

  @ApiProperty({ type: AlertWindowDto, description: 'The time that the figure is of' })
  @NestedObject(() => AlertWindowDto)
  window: AlertWindowDto;

  @ApiProperty({
    enum: ALERT_COMPARISONS,
    description:
      'above, below: the threshold · changed: by more than percent from the median of the same windows of the last four weeks · silence: none',
    example: 'above',
  })
  @IsIn(ALERT_COMPARISONS)
  compare: AlertComparison;

  @NumberField('Of above and below', MAX_NUMBER, 100)
  threshold?: number | null;

  @NumberField('Of changed', MAX_PERCENT)
  percent?: number | null;

  @ApiPropertyOptional({
    enum: ALERT_DIRECTIONS,
    nullable: true,
    description: 'Of changed; null = both',
  })
  @IsOptional()
  @IsIn(ALERT_DIRECTIONS)
  direction?: AlertDirection | null;

  @NumberField(
    'Of above and changed: nothing is told while the figure, and the usual one, are below it',
    MAX_NUMBER,
    20,
  )
  minimum?: number | null;

  @ApiPropertyOptional({
    type: QuietHoursDto,
    nullable: true,
    description: 'What is told in them is held back until they end, and told then if it is still so',
  })
  @IsOptional()
  @NestedObject(() => QuietHoursDto)
  quietHours?: QuietHoursDto | null;

  @WholeNumber(
    { min: 0, max: MAX_PAUSE_MINUTES, default: plainAlert.pauseMinutes },
    'For so long after a beginning is told no other one is',
  )
  pauseMinutes?: number | null;

  @WholeNumber(
    { min: 30, max: MAX_GRACE_SECONDS, default: plainAlert.graceSeconds },
    'How long after its end a window is decided; for bounce_rate and session_duration 3600 or more',
  )
  graceSeconds?: number | null;

  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    maxItems: MAX_DESTINATIONS,
    description:
      'Where it is told: destinations that are about its website or link; of members and keys those that an admin opened to members',
  })
  @IsOptional()
  @IsArray()
  @ArrayUnique()
  @ArrayMaxSize(MAX_DESTINATIONS)
  @IsString({ each: true })
  @Length(1, 64, { each: true })
  destinationIds?: string[] | null;

  @YesOrNo(plainAlert.enabled, 'One that is not enabled decides nothing')
  enabled?: boolean | null;
}

/** The changes of an alert, which begin it anew: what is left out stays as it is. */
export class UpdateAlertDto extends updateDtoClass(CreateAlertDto, 'organizationId', 'websiteId', 'linkId') {}

export class ListAlertsDto extends ListOfWebsiteDto {
  @Id('Only those of this link', { optional: true })
  linkId?: string;
}

class AlertAuthorDto implements AlertAuthor {
  @ApiProperty({ enum: ['user', 'api_key'] })
  type: AlertAuthor['type'];

  @ApiProperty()
  id: string;
}

/** `undecided`: the last window had no figure, or fewer than two weeks to compare it with. */
export const ALERT_STATES = ['waiting', 'ok', 'firing', 'blind', 'undecided', 'paused'] as const;

export class AlertDto extends recordOfFields<AlertDetails, CreateAlertDto>(CreateAlertDto, plainAlert) {
  @ApiProperty({ description: 'The rule, said back', example: 'Visitors of the last hour above 100' })
  sentence: string;

  @ApiProperty({
    enum: ALERT_PAUSES,
    nullable: true,
    description:
      'Why it was paused, until it is enabled again. rights: who made it may not send there any more · goal, segment, link: it is deleted',
  })
  pausedFor: AlertPause | null;

  @ApiProperty({ type: AlertAuthorDto, description: 'Who created it, or last changed it: it may send where they may' })
  author: AlertAuthorDto;

  @ApiProperty({
    enum: ALERT_STATES,
    description: 'waiting: no window was decided yet · undecided: the last one had nothing to be decided by',
  })
  state: (typeof ALERT_STATES)[number];

  @ApiProperty({ type: DecidedDto, nullable: true, description: 'What it told last' })
  lastDecision: DecidedDto | null;
}
