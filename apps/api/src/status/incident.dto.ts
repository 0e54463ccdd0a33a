import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, Length } from 'class-validator';
import {
  INCIDENT_SEVERITIES,
  INCIDENT_STATUSES,
  type IncidentSeverity,
  type IncidentStatus,
} from '@ledgerline/contracts/events/status-page.events';
import type { Incident } from '@ledgerline/contracts/records';
import { shownOccurrences, type Occurrence } from '@ledgerline/domain/status-pages/occurrences';
import { repeatText } from '@ledgerline/domain/status-pages/repeat-text';
import { recordOf } from '../commands/resource';
import { Instant, sent, Text } from '../http/fields';
import { NestedObject } from '../http/nested';
import { RecordDto, type PlainData } from '../http/record.dto';
import { CalendarDay, MaintenanceRepeatDto, repeatOf } from './maintenance-repeat.dto';

const MESSAGE = {
  description: 'What people read',
  example: 'Orders fail; we are looking for the cause.',
  multiline: true,
};

class NewIncidentUpdateDto {
  @ApiProperty({ enum: INCIDENT_STATUSES, example: 'identified' })
  @IsIn(INCIDENT_STATUSES)
  status: IncidentStatus;

  @Text(1, 2_000, MESSAGE)
  message: string;

  @ApiPropertyOptional({
    type: String,
    format: 'date',
    nullable: true,
    description:
      'Of a maintenance that repeats: the day of the one occurrence that it is about, which `resolved` ends or calls off; without it, about the whole series',
  })
  @IsOptional()
  @CalendarDay()
  occurrence?: string | null;
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

  @ApiPropertyOptional({
    type: MaintenanceRepeatDto,
    nullable: true,
    description: 'When a maintenance takes place again and again, in place of `startsAt` and `endsAt`',
  })
  @IsOptional()
  @NestedObject(() => MaintenanceRepeatDto)
  repeat?: MaintenanceRepeatDto | null;
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

/** The changes of an incident: what is left out stays as it is. */
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
export const newIncident = ({ title, severity, status, message, ...options }: PlainData<CreateIncidentDto>) => ({
  title,
  severity,
  status: status ?? ('investigating' as const),
  message,
  monitorIds: options.monitorIds ?? [],
  startsAt: options.startsAt ?? null,
  endsAt: options.endsAt ?? null,
  repeat: options.repeat ? repeatOf(options.repeat) : null,
});

export type NewIncident = ReturnType<typeof newIncident>;

/** Only what was sent, and what is reported with it. */
export function incidentChanges({ update, severity, ...body }: PlainData<UpdateIncidentDto>) {
  const { monitorIds, repeat, ...rest } = sent(body);
  const changes = {
    // which it is in place of
    ...(repeat ? { startsAt: null, endsAt: null } : {}),
    ...rest,
    ...(repeat === undefined ? {} : { repeat: repeat && repeatOf(repeat) }),
    ...(severity ? { severity } : {}),
    ...(monitorIds === undefined ? {} : { monitorIds: monitorIds ?? [] }),
  };
  return { changes, update: update ? newUpdate(update) : null };
}

const newUpdate = ({ status, message, occurrence }: PlainData<NewIncidentUpdateDto>) => ({
  status,
  message,
  ...(occurrence ? { occurrence } : {}),
});

export type IncidentChanges = ReturnType<typeof incidentChanges>;

class IncidentUpdateDto {
  @ApiProperty({ format: 'date-time' })
  at: string;

  @ApiProperty({ enum: INCIDENT_STATUSES })
  status: IncidentStatus;

  @ApiProperty()
  message: string;

  @ApiProperty({ type: String, nullable: true, description: 'The day of the only occurrence that it is about' })
  occurrence: string | null;
}

const TIME = { type: String, format: 'date-time', nullable: true };

class OccurrenceDto {
  @ApiProperty({ format: 'date', description: 'On which it begins in the zone of `repeat`: what updates name it by' })
  day: string;

  @ApiProperty({ format: 'date-time' })
  startsAt: string;

  @ApiProperty({ format: 'date-time' })
  endsAt: string;
}

export class IncidentDto extends RecordDto {
  @ApiProperty()
  organizationId: string;

  @ApiProperty()
  statusPageId: string;

  @ApiProperty()
  title: string;

  @ApiProperty({ enum: INCIDENT_STATUSES })
  status: IncidentStatus;

  @ApiProperty({ enum: INCIDENT_SEVERITIES })
  severity: IncidentSeverity;

  @ApiProperty({ type: [String] })
  monitorIds: readonly string[];

  @ApiProperty({ type: MaintenanceRepeatDto, nullable: true, description: 'Of a maintenance that repeats' })
  repeat: PlainData<MaintenanceRepeatDto> | null;

  @ApiProperty({ type: String, nullable: true, description: '`repeat` in a sentence' })
  repeats: string | null;

  @ApiProperty({
    type: OccurrenceDto,
    nullable: true,
    description: 'Of a maintenance that repeats: the occurrence that goes on or is next; null = the series is over',
  })
  occurrence: PlainData<OccurrenceDto> | null;

  @ApiProperty({ ...TIME, description: 'When a maintenance is planned to begin' })
  startsAt: string | null;

  @ApiProperty({ ...TIME, description: 'When a maintenance is planned to end' })
  endsAt: string | null;

  @ApiProperty({ ...TIME, description: 'Null = it goes on' })
  resolvedAt: string | null;

  @ApiProperty({ type: [IncidentUpdateDto], description: 'The oldest first' })
  updates: readonly PlainData<IncidentUpdateDto>[];
}

export const incidentDto = (incident: Incident, now = Date.now()): PlainData<IncidentDto> => {
  const { repeatSetAt: _, ...record } = recordOf(incident);
  const repeat = incident.repeat ?? null;
  const next = shownOccurrences(incident, now).find(({ overAt }) => now < overAt);
  return {
    ...record,
    repeat,
    repeats: repeat && repeatText(repeat),
    occurrence: next ? occurrenceDto(next) : null,
    updates: incident.updates.map((update) => ({ ...update, occurrence: update.occurrence ?? null })),
  };
};

const occurrenceDto = ({ day, startsAt, endsAt }: Occurrence): PlainData<OccurrenceDto> => ({
  day: day ?? '',
  startsAt: new Date(startsAt).toISOString(),
  endsAt: new Date(endsAt).toISOString(),
});
