import { Injectable } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsOptional } from 'class-validator';
import type { VisitorIdentity, WebsiteDetails } from '@ledgerline/contracts/events/organization.events';
import type { Website } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import { domainNameOf } from '@ledgerline/domain/websites/website.decider';
import { Resource, updateDtoClass, recordOfFields, recordOf } from '../commands/resource';
import { ChoiceField, DomainName, Id, Text, WholeNumber, YesOrNo, Zone, stringRule } from '../http/fields';
import { type PlainData } from '../http/record.dto';
import { assertMay } from '../http/route';

const IDENTITIES: readonly VisitorIdentity[] = ['daily', 'monthly', 'stable'];

/** The defaults of a website. */
const plainWebsite = {
  isPublic: false,
  allowedOrigins: [],
  timezone: 'UTC',
  visitorIdentity: 'daily',
  retentionDays: null,
} as const satisfies Omit<WebsiteDetails, 'organizationId' | 'name' | 'domain'>;

export const MOST_DAYS = 36_500;

/** The settings of a new website; null = the default. */
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
  @stringRule('isDomain', (text) => domainNameOf(text) !== undefined, 'must be a domain such as example.com', {
    each: true,
  })
  allowedOrigins?: string[] | null;

  @Zone({ description: 'IANA time zone of its days; cannot be changed', example: 'UTC', optional: true })
  timezone?: string;

  @ChoiceField(IDENTITIES, plainWebsite.visitorIdentity, 'How long a visitor id stays the same')
  visitorIdentity?: VisitorIdentity | null;

  @WholeNumber(
    { min: 1, max: MOST_DAYS },
    'Days for which hits are kept; only owners may set it. A day later older ones begin to be deleted, but for counts by day; a longer time brings nothing back',
  )
  retentionDays?: number | null;
}

/** The changes of a website: what is left out stays as it is. */
export class UpdateWebsiteDto extends updateDtoClass(RegisterWebsiteDto, 'organizationId', 'timezone') {
  @Zone({ description: 'The one that it has: it cannot be changed', optional: true })
  timezone?: string;
}

export class WebsiteDto extends recordOfFields<WebsiteDetails, RegisterWebsiteDto>(RegisterWebsiteDto, plainWebsite) {
  @ApiPropertyOptional({ type: [String], description: 'What settings bring about; absent without any' })
  notes?: string[];
}

const deletedAfter = (days: number): string =>
  `Sessions and events of more than ${days} days ago are deleted, from a day after that was set on.`;

@Injectable()
export class Websites extends Resource<Website, WebsiteDetails, PlainData<WebsiteDto>> {
  readonly kind = 'websites';
  readonly defaults = plainWebsite;

  override scope({ organizationId, id }: Website) {
    return { organizationId, websiteId: id };
  }

  /** Another retention takes a permission of its own. */
  override check(
    { organizationId = '', retentionDays }: Partial<WebsiteDetails>,
    caller: Caller,
    current?: Website,
  ): void {
    const held = current?.retentionDays ?? null;
    if (retentionDays !== undefined && retentionDays !== held)
      assertMay(caller, 'retention:change', current ?? { organizationId });
  }

  override records(websites: readonly Website[]): readonly PlainData<WebsiteDto>[] {
    return websites.map((each) => ({
      ...recordOf(each),
      ...(each.retentionDays === null ? {} : { notes: [deletedAfter(each.retentionDays)] }),
    }));
  }
}
