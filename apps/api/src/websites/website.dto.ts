import type { Website } from '@ledgerline/contracts/records';
import type { VisitorIdentity } from '@ledgerline/contracts/events/website.events';
import { ApiProperty } from '@nestjs/swagger';
import { RecordDto, recordOf, type Plain } from '../http/record.dto';
import { IDENTITIES } from './website-settings.dto';

export class WebsiteDto extends RecordDto {
  @ApiProperty()
  organizationId: string;

  @ApiProperty()
  name: string;

  @ApiProperty()
  domain: string;

  @ApiProperty()
  isPublic: boolean;

  @ApiProperty({ type: [String] })
  allowedOrigins: readonly string[];

  @ApiProperty()
  timezone: string;

  @ApiProperty({ enum: IDENTITIES })
  visitorIdentity: VisitorIdentity;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Days for which hits are to be kept; null = for ever' })
  retentionDays: number | null;
}

export const websiteDto = (website: Website): Plain<WebsiteDto> => recordOf(website);
