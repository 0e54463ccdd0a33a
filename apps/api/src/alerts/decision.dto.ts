import { ApiProperty } from '@nestjs/swagger';
import { Instant, PageSize } from '../http/fields';

const Figure = (description: string) => ApiProperty({ type: 'number', nullable: true, description });

/** What an alert tells of a window. */
class ToldDto {
  @ApiProperty({
    enum: ['fired', 'over', 'blind', 'seeing'],
    description: 'fired: it began · over: it ended · blind: nothing can be seen · seeing: it can again',
  })
  outcome: 'fired' | 'over' | 'blind' | 'seeing';

  @ApiProperty({ format: 'date-time', description: 'When the window begins' })
  from: string;

  @ApiProperty({ format: 'date-time', description: 'When the window ends' })
  to: string;

  @Figure('Null = there is none')
  figure: number | null;

  @Figure('The median of the same windows of the last four weeks; null where it was not compared with it')
  usual: number | null;
}

/** What an alert decided and told. */
export class DecidedDto extends ToldDto {
  @ApiProperty({ format: 'date-time', description: 'Everything that had arrived by then was counted' })
  asOf: string;
}

export class AlertDecisionDto extends DecidedDto {
  @Figure('What the figure of the window is today: late hits may have changed it. Null also after the rule changed')
  figureNow: number | null;
}

/** What an alert would have told. */
export class TriedDto extends ToldDto {
  @ApiProperty({ format: 'date-time', description: 'When: at the end of the window, or of quiet hours' })
  toldAt: string;
}

export class AlertTrialDto {
  @ApiProperty({ description: 'The rule, said back', example: 'Visitors of the last hour above 100' })
  sentence: string;

  @ApiProperty({ description: 'The time zone by which windows end', example: 'Europe/Berlin' })
  timezone: string;

  @ApiProperty({ format: 'date-time', description: 'Windows that end after it were tried' })
  from: string;

  @ApiProperty({ format: 'date-time' })
  to: string;

  @ApiProperty({ type: 'integer', description: 'How many windows there were' })
  windows: number;

  @ApiProperty({ type: 'integer', description: 'How many of them had a figure, and enough weeks to compare it with' })
  decided: number;

  @ApiProperty({
    type: 'array',
    items: { type: 'array', minItems: 3, maxItems: 3, items: { type: 'number', nullable: true } },
    description: 'Of each window: its end (Unix time in seconds), its figure, and the usual one; null = there is none',
  })
  figures: readonly (readonly [to: number, figure: number | null, usual: number | null])[];

  @ApiProperty({ type: [TriedDto], description: 'By what is known today, which may be more than was known then' })
  told: readonly TriedDto[];
}

export class ListDecisionsDto {
  @PageSize()
  limit?: number;

  @Instant({ description: 'Only those of windows that end before this time', optional: true })
  before?: string;
}
