import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsOptional, IsString, Length } from 'class-validator';
import { REPORT_PERIODS, type ReportDetails, type ReportPeriod } from '@ledgerline/contracts/events/report.events';
import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import { plainReport } from '@ledgerline/domain/reports/report.decider';
import { recordOfFields, updateDtoClass } from '../commands/resource';
import { ChoiceField, Id, Text, YesOrNo, Zone } from '../http/fields';
import { exampleId } from '../reference/document';

export class CreateReportDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Text(1, 100, { description: 'Display name, unique in its organization', example: 'Weekly figures' })
  name: string;

  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    description: 'The websites that it is about; null = all, also those that are added later',
  })
  @IsOptional()
  @IsArray()
  @ArrayUnique()
  @ArrayMaxSize(200)
  @IsString({ each: true })
  @Length(1, 64, { each: true })
  websiteIds?: string[] | null;

  @ChoiceField(REPORT_PERIODS, plainReport.period, 'A week is from Monday to Sunday')
  period?: ReportPeriod | null;

  @Zone({
    description: 'IANA name: its days are those of every website, and at 08:00 of it the report is sent',
    example: 'Europe/Berlin',
    optional: true,
    nullable: true,
  })
  timezone?: string | null;

  @ApiProperty({
    type: [String],
    description: 'Where it is sent: mails and webhooks that are told of all of its websites',
    example: [exampleId('dst')],
  })
  @IsArray()
  @ArrayUnique()
  @ArrayMaxSize(RECORD_KINDS.destinations.atMost)
  @IsString({ each: true })
  @Length(1, 64, { each: true })
  destinationIds: string[];

  @YesOrNo(plainReport.enabled, 'What is over while it is not enabled is never sent')
  enabled?: boolean | null;
}

/** What is left out stays as it is. */
export class UpdateReportDto extends updateDtoClass(CreateReportDto, 'organizationId') {}

export class ReportDto extends recordOfFields<ReportDetails, CreateReportDto>(CreateReportDto, plainReport) {
  @ApiProperty({
    description: 'The person who created or changed it last: with their right it is sent, and paused when they lose it',
  })
  ownerId: string;
}
