import type { StatusPage } from '@ledgerline/contracts/records';
import { ApiProperty } from '@nestjs/swagger';
import { RecordDto, recordOf, type Plain } from '../http/record.dto';

export class StatusPageDto extends RecordDto {
  @ApiProperty()
  organizationId: string;

  @ApiProperty()
  slug: string;

  @ApiProperty()
  name: string;

  @ApiProperty({ type: String, nullable: true })
  description: string | null;

  @ApiProperty({ type: [String] })
  monitorIds: readonly string[];

  @ApiProperty()
  isPublic: boolean;

  @ApiProperty({ description: 'Of the times that it shows' })
  timezone: string;

  @ApiProperty({ description: 'Where people find it' })
  url: string;
}

export const statusPageDto = (page: StatusPage, apiUrl: string): Plain<StatusPageDto> => ({
  ...recordOf(page),
  url: statusUrl(page, apiUrl),
});

export const statusUrl = ({ slug }: Pick<StatusPage, 'slug'>, apiUrl: string): string => `${apiUrl}/status/${slug}`;
