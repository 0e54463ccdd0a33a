import {
  INCIDENT_SEVERITIES,
  INCIDENT_STATUSES,
  type IncidentSeverity,
  type IncidentStatus,
} from '@ledgerline/contracts/events/incident.events';
import type { Incident } from '@ledgerline/contracts/records';
import { shownOccurrences, type Occurrence } from '@ledgerline/domain/status-pages/occurrences';
import { repeatText } from '@ledgerline/domain/status-pages/repeat-text';
import { ApiProperty } from '@nestjs/swagger';
import { RecordDto, recordOf, type Plain } from '../http/record.dto';
import { MaintenanceRepeatDto } from './maintenance-repeat.dto';

export class IncidentUpdateDto {
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

export class OccurrenceDto {
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
  repeat: Plain<MaintenanceRepeatDto> | null;

  @ApiProperty({ type: String, nullable: true, description: '`repeat` in a sentence' })
  repeats: string | null;

  @ApiProperty({
    type: OccurrenceDto,
    nullable: true,
    description: 'Of a maintenance that repeats: the occurrence that goes on or is next; null = the series is over',
  })
  occurrence: Plain<OccurrenceDto> | null;

  @ApiProperty({ ...TIME, description: 'When a maintenance is planned to begin' })
  startsAt: string | null;

  @ApiProperty({ ...TIME, description: 'When a maintenance is planned to end' })
  endsAt: string | null;

  @ApiProperty({ ...TIME, description: 'Null = it goes on' })
  resolvedAt: string | null;

  @ApiProperty({ type: [IncidentUpdateDto], description: 'The oldest first' })
  updates: readonly Plain<IncidentUpdateDto>[];
}

export const incidentDto = (incident: Incident, now = Date.now()): Plain<IncidentDto> => {
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

const occurrenceDto = ({ day, startsAt, endsAt }: Occurrence): Plain<OccurrenceDto> => ({
  day: day ?? '',
  startsAt: new Date(startsAt).toISOString(),
  endsAt: new Date(endsAt).toISOString(),
});
