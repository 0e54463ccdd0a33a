import {
  INCIDENT_SEVERITIES,
  INCIDENT_STATUSES,
  type IncidentSeverity,
  type IncidentStatus,
} from '@ledgerline/contracts/events/incident.events';
import type { Incident } from '@ledgerline/contracts/records';
import { ApiProperty } from '@nestjs/swagger';
import { RecordDto, recordOf, type Plain } from '../http/record.dto';

export class IncidentUpdateDto {
  @ApiProperty({ format: 'date-time' })
  at: string;

  @ApiProperty({ enum: INCIDENT_STATUSES })
  status: IncidentStatus;

  @ApiProperty()
  message: string;
}

const TIME = { type: String, format: 'date-time', nullable: true };

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

  @ApiProperty({ ...TIME, description: 'When a maintenance is planned to begin' })
  startsAt: string | null;

  @ApiProperty({ ...TIME, description: 'When a maintenance is planned to end' })
  endsAt: string | null;

  @ApiProperty({ ...TIME, description: 'Null = it goes on' })
  resolvedAt: string | null;

  @ApiProperty({ type: [IncidentUpdateDto], description: 'The oldest first' })
  updates: readonly Plain<IncidentUpdateDto>[];
}

export const incidentDto = (incident: Incident): Plain<IncidentDto> => recordOf(incident);
