import type { VisitorIdentity, WebsiteDetails } from '@ledgerline/contracts/events/website.events';
import type { UpdateWebsite } from '@ledgerline/domain/websites/website.decider';
import { domainNameOf } from '@ledgerline/domain/websites/domain-name';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';
import { DomainName, holds, Id, sent, Text, Zone } from '../http/fields';

export const IDENTITIES: readonly VisitorIdentity[] = ['daily', 'monthly', 'stable'];
const MAX_RETENTION_DAYS = 36_500;

/** What has a default; null = the default. */
class WebsiteOptionsDto {
  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description: 'Public query types need no credentials',
    default: false,
  })
  @IsOptional()
  @IsBoolean()
  isPublic?: boolean | null;

  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    description: 'Further host names that may send hits',
    maxItems: 50,
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(50)
  @holds('isDomain', (text) => domainNameOf(text) !== undefined, 'must be a domain such as example.com', { each: true })
  allowedOrigins?: string[] | null;

  @ApiPropertyOptional({
    enum: IDENTITIES,
    nullable: true,
    description: 'How long a visitor id stays the same',
    default: 'daily',
  })
  @IsOptional()
  @IsIn(IDENTITIES)
  visitorIdentity?: VisitorIdentity | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: MAX_RETENTION_DAYS,
    description:
      'Days for which hits are to be kept, null = for ever. Recorded only: nothing is deleted by it yet. Only owners may set it',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(MAX_RETENTION_DAYS)
  retentionDays?: number | null;
}

export class RegisterWebsiteDto extends WebsiteOptionsDto {
  @Id('The organization it belongs to')
  organizationId: string;

  @Text(1, 100, { description: 'Display name', example: 'Shop' })
  name: string;

  @DomainName({ description: 'Host name; its subdomains may send hits too', example: 'example.com' })
  domain: string;

  @Zone({ description: 'IANA time zone of its days; cannot be changed', example: 'UTC', optional: true })
  timezone?: string;
}

/** What is left out stays as it is. */
export class UpdateWebsiteDto extends WebsiteOptionsDto {
  @Text(1, 100, { description: 'Display name', example: 'Shop', optional: true })
  name?: string;

  @DomainName({ description: 'Host name; its subdomains may send hits too', optional: true })
  domain?: string;

  @Zone({ description: 'The one that it has: it cannot be changed', optional: true })
  timezone?: string;
}

const DEFAULTS = { isPublic: false, allowedOrigins: [], visitorIdentity: 'daily', retentionDays: null } as const;

/** With the defaults of what was left out. */
export const websiteDetails = (body: RegisterWebsiteDto): WebsiteDetails => ({
  organizationId: body.organizationId,
  name: body.name,
  domain: body.domain,
  isPublic: body.isPublic ?? DEFAULTS.isPublic,
  allowedOrigins: body.allowedOrigins ?? DEFAULTS.allowedOrigins,
  timezone: body.timezone ?? 'UTC',
  visitorIdentity: body.visitorIdentity ?? DEFAULTS.visitorIdentity,
  retentionDays: body.retentionDays ?? DEFAULTS.retentionDays,
});

/** Only what was sent. */
export const websiteChanges = (body: UpdateWebsiteDto): UpdateWebsite['data']['changes'] => {
  const defaults: Readonly<Record<string, unknown>> = DEFAULTS;
  return Object.fromEntries(Object.entries(sent(body)).map(([name, value]) => [name, value ?? defaults[name]]));
};
