import type { VisitorIdentity, WebsiteDetails } from '@ledgerline/contracts/events/website.events';
import type { Website } from '@ledgerline/domain/registry/registry';
import { domainNameOf } from '@ledgerline/domain/websites/domain-name';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsOptional } from 'class-validator';
import { DomainName, holds, Id, Text, Zone } from '../http/fields';
import { RecordDto, recordOf, type Plain } from '../http/record.dto';

const IDENTITIES: readonly VisitorIdentity[] = ['daily', 'monthly', 'stable'];

export class RegisterWebsiteDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Text(1, 100, { description: 'Display name', example: 'Shop' })
  name: string;

  @DomainName({ description: 'Host name; its subdomains may send hits too', example: 'example.com' })
  domain: string;

  @ApiPropertyOptional({ description: 'Public query types need no credentials', default: false })
  @IsOptional()
  @IsBoolean()
  isPublic?: boolean;

  @ApiPropertyOptional({ type: [String], description: 'Further host names that may send hits', maxItems: 50 })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(50)
  @holds('isDomain', (text) => domainNameOf(text) !== undefined, 'must be a domain', { each: true })
  allowedOrigins?: string[];

  @Zone({ description: 'IANA time zone of its days; cannot be changed', example: 'UTC', optional: true })
  timezone?: string;

  @ApiPropertyOptional({ enum: IDENTITIES, description: 'How long a visitor id stays the same', default: 'daily' })
  @IsOptional()
  @IsIn(IDENTITIES)
  visitorIdentity?: VisitorIdentity;
}

/** With the defaults of what was left out. */
export const websiteDetails = (body: RegisterWebsiteDto): WebsiteDetails => ({
  organizationId: body.organizationId,
  name: body.name,
  domain: body.domain,
  isPublic: body.isPublic ?? false,
  allowedOrigins: body.allowedOrigins ?? [],
  timezone: body.timezone ?? 'UTC',
  visitorIdentity: body.visitorIdentity ?? 'daily',
});

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
}

export const websiteDto = (website: Website): Plain<WebsiteDto> => recordOf(website);
