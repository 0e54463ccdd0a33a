import type { WebsiteDetails } from '@ledgerline/contracts/events/website.events';
import type { Website } from '@ledgerline/contracts/records';
import type { Caller } from '@ledgerline/domain/access/caller';
import type { Registry } from '@ledgerline/domain/registry/registry';
import { website, type WebsiteCommand } from '@ledgerline/domain/websites/website.decider';
import { websiteStream } from '@ledgerline/platform/event-store/streams';
import { Injectable } from '@nestjs/common';
import { assertMay } from '../auth/assert-may';
import type { StartedCommand } from '../commands/idempotency-store';
import { recordOf, type Plain } from '../http/record.dto';
import { decision, type Decision, type Resource } from '../resources/resource';
import { plainWebsite, type WebsiteDto } from './website.dto';

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
    return registry().website(id);
  }

  entriesOf(registry: Registry, organizationId: string): readonly Website[] {
    return registry.websitesOf(organizationId);
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
    return websites.map(recordOf);
  }
}

const decided = ({ organizationId, id }: Pick<Website, 'organizationId' | 'id'>, command: WebsiteCommand): Decision =>
  decision(website, websiteStream(organizationId, id), command);
