import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsOptional, Max, Min, ValidateBy } from 'class-validator';
import {
  type MaintenanceRepeat,
  REPEAT_PERIODS,
  type RepeatPeriod,
  WEEKDAYS,
  type Weekday,
} from '@ledgerline/contracts/events/status-page.events';
import { MAX_REPEAT_INTERVAL } from '@ledgerline/domain/status-pages/occurrences';
import { isCalendarDay } from '@ledgerline/domain/time/zones';
import { stringRule, Zone } from '../http/fields';
import type { PlainData } from '../http/record.dto';

const MAX_DURATION_MINUTES = 30 * 24 * 60;

/** `YYYY-MM-DD`, of years that have four digits to come. */
const isDay = (text: string): boolean => isCalendarDay(text) && text >= '2000-01-01' && text < '9900-01-01';

export const CalendarDay = () => stringRule('isDay', isDay, 'must be a day that exists, such as 2030-01-31');

const MonthDay = () =>
  applyDecorators(
    ApiPropertyOptional({
      oneOf: [
        { type: 'integer', minimum: 1, maximum: 31 },
        { type: 'string', enum: ['last'] },
      ],
      nullable: true,
      description: 'Of every month; months without the day are left out',
    }),
    IsOptional(),
    ValidateBy(
      {
        name: 'isMonthDay',
        validator: {
          validate: (value) =>
            value === 'last' || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 31),
        },
      },
      { message: '$property must be a day of 1 to 31, or "last"' },
    ),
  );

/** As it is sent and answered. */
export class MaintenanceRepeatDto {
  @ApiProperty({ enum: REPEAT_PERIODS, example: 'week' })
  @IsIn(REPEAT_PERIODS)
  every: RepeatPeriod;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_REPEAT_INTERVAL,
    nullable: true,
    default: 1,
    description: 'Every so many days, weeks or months, counted from that of `from`; weeks begin on Monday',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_REPEAT_INTERVAL)
  interval?: number | null;

  @ApiPropertyOptional({
    enum: WEEKDAYS,
    isArray: true,
    nullable: true,
    description: 'Of every week',
    example: ['tuesday'],
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(7)
  @IsIn(WEEKDAYS, { each: true })
  weekdays?: readonly Weekday[] | null;

  @MonthDay()
  monthDay?: number | 'last' | null;

  @Zone({ description: 'IANA time zone of days and times', example: 'Europe/Berlin' })
  timezone: string;

  @ApiProperty({
    pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
    example: '02:00',
    description:
      'When it begins, by the clocks of the zone: where they skip it, when they go on, where they show it twice, the first time',
  })
  @stringRule('isTimeOfDay', (text) => /^([01]\d|2[0-3]):[0-5]\d$/.test(text), 'must be a time such as 02:00')
  startTime: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_DURATION_MINUTES, example: 60 })
  @IsInt()
  @Min(1)
  @Max(MAX_DURATION_MINUTES)
  durationMinutes: number;

  @ApiProperty({ format: 'date', description: 'The first day on which it may begin', example: '2030-01-31' })
  @CalendarDay()
  from: string;

  @ApiPropertyOptional({
    type: String,
    format: 'date',
    nullable: true,
    description: 'The last day on which it may begin; null = without end',
  })
  @IsOptional()
  @CalendarDay()
  until?: string | null;
}

/** With the defaults of what was left out. */
export const repeatOf = ({
  interval,
  weekdays,
  monthDay,
  until,
  ...repeat
}: PlainData<MaintenanceRepeatDto>): MaintenanceRepeat => ({
  ...repeat,
  interval: interval ?? 1,
  weekdays: weekdays ?? [],
  monthDay: monthDay ?? null,
  until: until ?? null,
});
