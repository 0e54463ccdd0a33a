import { RECORD_KINDS } from '@ledgerline/contracts/record-kinds';
import type { VisitorIdentity, WebsiteDetails } from '@ledgerline/contracts/events/organization.events';
import { type WebsiteCommand, domainNameOf, website } from '@ledgerline/domain/websites/website.decider';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsOptional } from 'class-validator';
import { Choice, DomainName, Id, Text, WholeNumber, YesOrNo, Zone, holds } from '../http/fields';
import { type Decision, type Resource, changesOf, decision, recordOfFields } from '../resources/resource';
import type { Website } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import type { Registry } from '@ledgerline/domain/registry/registry';
import { Injectable } from '@nestjs/common';
import { assertMay } from '../auth/assert-may';
import type { StartedCommand } from '../commands/command-context';
import { type Plain, recordOf } from '../http/record.dto';

const IDENTITIES: readonly VisitorIdentity[] = ['daily', 'monthly', 'stable'];

/** What a website has by default. */
const plainWebsite = {
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
    'Days for which hits are to be kept; only owners may set it. Nothing is deleted yet',
  )
  retentionDays?: number | null;
}

/** What is left out stays as it is. */
export class UpdateWebsiteDto extends changesOf(RegisterWebsiteDto, 'organizationId', 'timezone') {
  @Zone({ description: 'The one that it has: it cannot be changed', optional: true })
  timezone?: string;
}

export class WebsiteDto extends recordOfFields<WebsiteDetails, RegisterWebsiteDto>(RegisterWebsiteDto, plainWebsite) {
  @ApiPropertyOptional({ type: [String], description: 'Settings that have no effect; absent without any' })
  notes?: string[];
}

const NOTHING_DELETED = 'Nothing is deleted yet.';

type Changes = Partial<Omit<WebsiteDetails, 'organizationId'>>;

@Injectable()
export class Websites implements Resource<Website, WebsiteDetails, Plain<WebsiteDto>> {
  static readonly commands = ['RegisterWebsite', 'UpdateWebsite', 'DeleteWebsite'] as const;
  readonly noun = 'Website';
  readonly idPrefix = 'site';
  readonly reads = 'websites:read';
  readonly writes = 'websites:write';
  readonly defaults = plainWebsite;

  entry(registry: () => Registry, id: string): Website | undefined {
    return registry().find('websites', id);
  }

  entriesOf(registry: Registry, organizationId: string): readonly Website[] {
    return registry.list('websites', organizationId);
  }

  scope({ organizationId, id }: Website) {
    return { organizationId, websiteId: id };
  }

  /** Another retention takes a permission of its own. */
  check({ organizationId = '', retentionDays }: Partial<WebsiteDetails>, caller: Caller, current?: Website): void {
    const held = current?.retentionDays ?? null;
    if (retentionDays !== undefined && retentionDays !== held)
      assertMay(caller, 'retention:change', current ?? { organizationId });
  }

  create(input: WebsiteDetails, { id }: StartedCommand): Decision {
    return decided({ ...input, id }, { type: 'RegisterWebsite', data: { ...input, websiteId: id } });
  }

  update(changes: Changes, current: Website): Decision {
    return decided(current, { type: 'UpdateWebsite', data: { changes } });
  }

  delete(current: Website): Decision {
    return decided(current, { type: 'DeleteWebsite', data: {} });
  }

  records(websites: readonly Website[]): readonly Plain<WebsiteDto>[] {
    return websites.map((each) => ({
      ...recordOf(each),
      ...(each.retentionDays === null ? {} : { notes: [NOTHING_DELETED] }),
    }));
  }
}

const decided = ({ organizationId, id }: Pick<Website, 'organizationId' | 'id'>, command: WebsiteCommand): Decision =>
  decision(website, RECORD_KINDS.websites.stream({ organizationId, id }), command);
