import {
  INCIDENT_SEVERITIES,
  INCIDENT_STATUSES,
  type IncidentSeverity,
  type IncidentStatus,
} from '@ledgerline/contracts/events/incident.events';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, Length } from 'class-validator';
import { Instant, sent, Text } from '../http/fields';
import { NestedObject } from '../http/nested';
import type { Plain } from '../http/record.dto';

const MESSAGE = {
  description: 'What people read',
  example: 'Orders fail; we are looking for the cause.',
  multiline: true,
};

export class NewIncidentUpdateDto {
  @ApiProperty({ enum: INCIDENT_STATUSES, example: 'identified' })
  @IsIn(INCIDENT_STATUSES)
  status: IncidentStatus;

  @Text(1, 2_000, MESSAGE)
  message: string;
}

class IncidentOptionsDto {
  @ApiPropertyOptional({ type: [String], nullable: true, description: 'Monitors of the page that it is about' })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(50)
  @IsString({ each: true })
  @Length(1, 64, { each: true })
  monitorIds?: string[] | null;

  @Instant({
    description: 'Of a maintenance: checks from then on count for nothing',
    optional: true,
    nullable: true,
  })
  startsAt?: string | null;

  @Instant({ description: 'Of a maintenance: checks from then on count again', optional: true, nullable: true })
  endsAt?: string | null;
}

export class CreateIncidentDto extends IncidentOptionsDto {
  @Text(1, 200, { description: 'What happened', example: 'Orders fail' })
  title: string;

  @ApiProperty({ enum: INCIDENT_SEVERITIES, example: 'major' })
  @IsIn(INCIDENT_SEVERITIES)
  severity: IncidentSeverity;

  @ApiPropertyOptional({ enum: INCIDENT_STATUSES, nullable: true, default: 'investigating' })
  @IsOptional()
  @IsIn(INCIDENT_STATUSES)
  status?: IncidentStatus | null;

  @Text(1, 2_000, MESSAGE)
  message: string;
}

/** What is left out stays as it is. */
export class UpdateIncidentDto extends IncidentOptionsDto {
  @Text(1, 200, { description: 'What happened', optional: true })
  title?: string;

  @ApiPropertyOptional({ enum: INCIDENT_SEVERITIES, nullable: true })
  @IsOptional()
  @IsIn(INCIDENT_SEVERITIES)
  severity?: IncidentSeverity | null;

  @ApiPropertyOptional({ type: NewIncidentUpdateDto, nullable: true, description: 'Added to the updates' })
  @IsOptional()
  @NestedObject(() => NewIncidentUpdateDto)
  update?: NewIncidentUpdateDto | null;
}

/** With the defaults of what was left out. */
export const newIncident = ({ title, severity, status, message, ...options }: Plain<CreateIncidentDto>) => ({
  title,
  severity,
  status: status ?? ('investigating' as const),
  message,
  monitorIds: options.monitorIds ?? [],
  startsAt: options.startsAt ?? null,
  endsAt: options.endsAt ?? null,
});

export type NewIncident = ReturnType<typeof newIncident>;

/** Only what was sent, and what is reported with it. */
export function incidentChanges({ update, severity, ...body }: Plain<UpdateIncidentDto>) {
  const { monitorIds, ...rest } = sent(body);
  const changes = {
    ...rest,
    ...(severity ? { severity } : {}),
    ...(monitorIds === undefined ? {} : { monitorIds: monitorIds ?? [] }),
  };
  return { changes, update: update ? { status: update.status, message: update.message } : null };
}

export type IncidentChanges = ReturnType<typeof incidentChanges>;
