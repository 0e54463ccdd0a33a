import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { organizationsOf, type Caller } from '@ledgerline/domain/access/caller';
import { may, neededFor } from '@ledgerline/domain/access/permissions';
import { zoneNamed } from '@ledgerline/domain/time/zone-names';
import { Registry } from '@ledgerline/domain/registry/registry';
import { LinkLookup } from '@ledgerline/platform/registry/link-lookup';
import { Injectable } from '@nestjs/common';
import { QUERY_ABOUT, type QueryAbout } from '../query-type';
import { authRequired, forbidden, invalid } from '../../http/problems';

/** The website, link or monitor a request is about, as far as its caller may read it. */
export interface QueryTarget {
  readonly about: QueryAbout;
  readonly id: string;
  /** The zone of its own days. */
  readonly zone: string;
  readonly visitorIdentity: string;
  /** True for a caller without permission on a public website, who gets public query types only. */
  readonly publicOnly: boolean;
}

/** Finds what a request is about. */
@Injectable()
export class QueryTargets {
  constructor(
    private readonly registry: Registry,
    private readonly links: LinkLookup,
  ) {}

  /**
   * What the query string names. One that does not exist fails like one the caller may not read.
   * @throws Problem AUTH_REQUIRED, FORBIDDEN, or VALIDATION_ERROR unless exactly one is named
   */
  async find(caller: Caller, params: Readonly<Record<string, unknown>>): Promise<QueryTarget> {
    const [about, ...others] = QUERY_ABOUT.filter((each) => params[`${each}_id`] !== undefined);
    const id = params[`${about}_id`];
    if (about === undefined || others.length > 0 || typeof id !== 'string' || id === '') throw namesNotOne();
    const subject = await this[about](caller, id);
    if (!subject)
      throw caller.kind === 'anonymous'
        ? authRequired()
        : forbidden({ needs: neededFor(`${about}s:read`, caller), of: about });
    return subject;
  }

  private website(caller: Caller, id: string): QueryTarget | undefined {
    const website = this.registry.website(id);
    if (!website) return undefined;
    const mayRead = may(caller, 'websites:read', { organizationId: website.organizationId, websiteId: id });
    if (!mayRead && !website.isPublic) return undefined;
    const { timezone, visitorIdentity } = website;
    const zone = zoneNamed(timezone) ?? timezone; // websites registered earlier have it in any case
    return { about: 'website', id, zone, visitorIdentity, publicOnly: !mayRead };
  }

  private async link(caller: Caller, id: string): Promise<QueryTarget | undefined> {
    const link = await this.links.byId(id, organizationsOf(caller));
    if (!link || !may(caller, 'links:read', { organizationId: link.organizationId })) return undefined;
    return { about: 'link', id: link.id, zone: 'UTC', visitorIdentity: 'daily', publicOnly: false };
  }

  private monitor(caller: Caller, id: string): QueryTarget | undefined {
    const monitor = this.registry.monitor(id);
    if (!monitor || !may(caller, 'monitors:read', { organizationId: monitor.organizationId })) return undefined;
    return { about: 'monitor', id, zone: 'UTC', visitorIdentity: 'none', publicOnly: false };
  }
}

function namesNotOne(): Problem {
  const message = 'Exactly one of website_id, link_id and monitor_id must be in the query string.';
  return invalid(QUERY_ABOUT.map((about) => ({ field: `${about}_id`, message })));
}
