import { MONITOR_METHODS, type MonitorMethod } from '@ledgerline/contracts/events/monitor.events';
import type { Monitor } from '@ledgerline/contracts/records';
import { omit } from '@ledgerline/domain/changes';
import { ApiProperty } from '@nestjs/swagger';
import { RecordDto, recordOf, type Plain } from '../http/record.dto';

export class MonitorDto extends RecordDto {
  @ApiProperty()
  organizationId: string;

  @ApiProperty()
  name: string;

  @ApiProperty()
  url: string;

  @ApiProperty({ enum: MONITOR_METHODS })
  method: MonitorMethod;

  @ApiProperty({ type: 'integer' })
  intervalSeconds: number;

  @ApiProperty({ type: 'integer' })
  timeoutSeconds: number;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Null = 200 to 299' })
  expectedStatus: number | null;

  @ApiProperty({ type: String, nullable: true })
  expectedText: string | null;

  @ApiProperty({ type: String, nullable: true })
  unwantedText: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'In ms; a check that takes longer is degraded' })
  slowAfterMs: number | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Degraded with a certificate of fewer days' })
  certificateDays: number | null;

  @ApiProperty({ description: 'Up also with a certificate that is not trusted' })
  ignoreTlsErrors: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'What a POST sends' })
  body: string | null;

  @ApiProperty({ type: [String], description: 'The headers that are sent; their values are never shown' })
  headerNames: readonly string[];

  @ApiProperty()
  paused: boolean;
}

export const monitorDto = (monitor: Monitor): Plain<MonitorDto> => recordOf(omit(monitor, 'sealedHeaders'));
