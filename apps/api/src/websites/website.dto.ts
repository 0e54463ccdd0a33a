import type { VisitorIdentity, WebsiteDetails } from '@ledgerline/contracts/events/website.events';
import { domainNameOf } from '@ledgerline/domain/websites/website.decider';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsOptional } from 'class-validator';
import { Choice, DomainName, holds, Id, Text, WholeNumber, YesOrNo, Zone } from '../http/fields';
import { changesOf, recordOfFields } from '../resources/resource.dto';

const IDENTITIES: readonly VisitorIdentity[] = ['daily', 'monthly', 'stable'];

/** What a website has by default. */
export const plainWebsite = {
  isPublic: false,
  allowedOrigins: [],
  timezone: 'UTC',
  visitorIdentity: 'daily',
  retentionDays: null,
} as const satisfies Omit<WebsiteDetails, 'organizationId' | 'name' | 'domain'>;

/** What a website is made of; null = the default. */
export class RegisterWebsiteDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Text(1, 100, { description: 'Display name', example: 'Shop' })
  name: string;

  @DomainName({ description: 'Host name; its subdomains may send hits too', example: 'example.com' })
  domain: string;

  @YesOrNo(plainWebsite.isPublic, 'Public query types need no credentials')
  isPublic?: boolean | null;

  @ApiPropertyOptional({ type: [String], description: 'Further host names that may send hits' })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(50)
  @holds('isDomain', (text) => domainNameOf(text) !== undefined, 'must be a domain such as example.com', { each: true })
  allowedOrigins?: string[] | null;

  @Zone({ description: 'IANA time zone of its days; cannot be changed', example: 'UTC', optional: true })
  timezone?: string;

  @Choice(IDENTITIES, plainWebsite.visitorIdentity, 'How long a visitor id stays the same')
  visitorIdentity?: VisitorIdentity | null;

  @WholeNumber(
    { min: 1, max: 36_500 },
    'Days for which hits are to be kept, null = for ever. Recorded only: nothing is deleted by it yet. Only owners may set it',
  )
  retentionDays?: number | null;
}

/** What is left out stays as it is. */
export class UpdateWebsiteDto extends changesOf(RegisterWebsiteDto, 'organizationId', 'timezone') {
  @Zone({ description: 'The one that it has: it cannot be changed', optional: true })
  timezone?: string;
}

export class WebsiteDto extends recordOfFields<WebsiteDetails, RegisterWebsiteDto>(RegisterWebsiteDto, plainWebsite) {}
